import { getPolicy, listPolicies, PolicyFields, type PolicyRevision, setPolicy } from '@palisade/contracts';
import * as z from 'zod';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { moment } from '../output/time.ts';
import { pageOf } from '../page.ts';
import { parseJson, readInput } from '../read-input.ts';
import type {
  projectPolicyCommand,
  projectPolicyHistoryCommand,
  projectPolicySetCommand,
} from '../tree/project-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal project policy [KEY]`. */
export const get: Handler<typeof projectPolicyCommand> = async (invocation, { key }, { revision }) => {
  const answer = await invocation.call(
    getPolicy,
    revision === undefined ? {} : { revision },
    key === undefined ? {} : { project: key },
  );
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [String(answer.revision)],
    text: () => [lineOf(invocation, answer), ...fieldsOf(answer)],
  });
  return 0;
};

/** `pal project policy-set [KEY] --file FILE`. */
export const set: Handler<typeof projectPolicySetCommand> = async (invocation, { key }, flags) => {
  if (flags.file === undefined)
    throw new UsageError('the policy is in a file', {
      next: 'pal project policy --json > policy.json, change it, and give it with --file',
    });
  const given = parseJson(await readInput(invocation, flags.file), flags.file, 'invalid_input');
  const whole = z.looseObject({ revision: z.int(), policy: z.unknown() }).safeParse(given);
  const policy = whole.success ? whole.data.policy : given;
  const expected = flags.revision ?? (whole.success ? whole.data.revision : undefined);
  if (expected === undefined)
    throw new UsageError('it does not say which revision the policy was made from', {
      next: `pal project policy-set --file ${flags.file} --revision N`,
    });
  const answer = await invocation.call(
    setPolicy,
    {
      ...(policy as PolicyFields),
      expected_revision: expected,
      ...(flags.reason === undefined ? {} : { provenance: { kind: 'cli', reason: flags.reason } }),
      ...invocation.rehearsed,
    },
    key === undefined ? {} : { project: key },
  );
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [String(answer.revision)],
    text: () => [`${outcome(invocation, 'set')}policy revision ${answer.revision}`],
  });
  return 0;
};

/** `pal project policy-history [KEY]`. */
export const history: Handler<typeof projectPolicyHistoryCommand> = async (invocation, { key }, flags) => {
  const answer = await invocation.call(
    listPolicies,
    { ...pageOf(flags) },
    key === undefined ? {} : { project: key },
  );
  const { data, next_cursor: cursor } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: data.map(({ revision }) => String(revision)),
    text: () => data.map((revision) => lineOf(invocation, revision)),
  });
  if (cursor !== undefined) invocation.hint(`pal project policy-history --cursor ${cursor}`);
  return 0;
};

function lineOf(
  { settings }: Invocation,
  { revision, actor, set_at: at, provenance }: PolicyRevision,
): string {
  const by = actor === undefined ? 'as every project starts' : `by ${foreignLine(actor)}`;
  const reason = provenance?.reason === undefined ? '' : `: ${foreignLine(provenance.reason)}`;
  return `revision ${revision}  ${actor === undefined ? '' : `${moment(at, settings.times)}  `}${by}${reason}`;
}

function fieldsOf({ policy }: PolicyRevision): string[] {
  const { rules, ...fields } = policy;
  const lines = Object.entries(fields).map(([name, value]) => `${name.padEnd(28)}${String(value)}`);
  return rules === '' ? lines : [...lines, '', ...rules.split('\n').map((line) => `  ${foreignLine(line)}`)];
}
