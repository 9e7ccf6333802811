import { homedir } from 'node:os';
import { declaredOperations, type Operation, registerJob, SCOPES } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { broken, type PartedRequest, wired, type WireRequest } from '../../test/broken-request.ts';
import { Documented } from '../../test/documented.ts';
import { seeded } from '../../test/fuzz-seeds.ts';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';
import { arbitraryOf, type KnownValues } from '../../test/schema-arbitrary.ts';
import { type WireAnswer, WireClient } from '../../test/wire-client.ts';

/** Requests of each operation, as documented and with one thing wrong; more of them find more, from `PALISADE_FUZZ_RUNS`. */
const RUNS = Number(process.env['PALISADE_FUZZ_RUNS'] ?? 4);

/** What no answer may hold: places of this machine, statements of the database, positions in the program. */
const LEAKS =
  /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE \w+ SET|SQLITE_\w+|SqliteError|pg_\w+|kernel_\w+|constraint failed|violates)\b|node_modules|node:internal|\n\s+at |\.ts:\d/;

const documented = new Documented();

/** Requests of an operation that its documentation allows. */
function requestsOf(
  operation: Operation,
  { url, presented }: { readonly url: string; readonly presented: Readonly<Record<string, string>> },
  known: KnownValues,
): fc.Arbitrary<PartedRequest> {
  const { parameters, requestBody } = documented.described(operation);
  const of = (place: string): fc.Arbitrary<Record<string, unknown>> => {
    const fields = parameters.filter((each) => each.in === place);
    const schema = {
      type: 'object',
      properties: Object.fromEntries(fields.map((each) => [each.name, each.schema])),
      required: fields.filter((each) => each.required).map((each) => each.name),
    };
    const values = { ...known, project: ['default', 'default', 'default', 'absent'] };
    return arbitraryOf(schema, (reference) => documented.resolve(reference), values) as never;
  };
  const body = requestBody?.content['application/json']?.schema;
  return fc
    .record({
      params: of('path'),
      query: of('query'),
      body:
        body === undefined
          ? fc.constant(undefined)
          : (arbitraryOf(body, (reference) => documented.resolve(reference), known) as fc.Arbitrary<object>),
      key: fc.stringMatching(/^[\x21-\x7e]{1,200}$/),
    })
    .map(({ params, query, body: told, key }) => ({
      method: operation.method,
      path: operation.path,
      params,
      // An answer that is waited for is none that hangs.
      query: 'wait_ms' in query ? { ...query, wait_ms: 10 } : query,
      ...(told === undefined ? {} : { body: told as Record<string, unknown> }),
      headers: {
        ...presented,
        // Or nobody would be let in who has to come from a page of the server.
        Origin: url,
        ...(told === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(operation.effect === 'read' ? {} : { 'Idempotency-Key': key }),
      },
    }));
}

const byId = new Map(declaredOperations().map((operation) => [operation.id, operation]));

/** Everything that is wrong with an answer. */
function faultsOf(rig: HttpRig, { method }: WireRequest, answer: WireAnswer): readonly string[] {
  const { status, headers, text } = answer;
  const faults: string[] = [];
  const id = headers['request-id'];
  if (status >= 500)
    faults.push(
      `status ${status}, ${JSON.stringify(rig.lines.findLast((line) => line['event'] === 'fault' && line['id'] === id))}`,
    );
  const leak =
    LEAKS.exec(text)?.[0] ?? [rig.root, homedir(), process.cwd()].find((each) => text.includes(each));
  if (leak !== undefined) faults.push(`it tells of ${leak}`);
  // Refused by the parser of HTTP, before there is a request.
  if (id === undefined)
    return text === '' && [400, 431].includes(status) ? faults : [...faults, 'it is unnamed'];
  if (method === 'HEAD') return text === '' ? faults : [...faults, 'it has a body'];
  // The one answer that is text, of a path that a broken one may come to lead to.
  if (status === 200 && text.startsWith('# HELP palisade_')) return faults;
  let body: unknown;
  try {
    body = JSON.parse(text, (_, value: unknown) => {
      if (typeof value === 'string' && !value.isWellFormed()) faults.push('half a character');
      return value;
    });
  } catch {
    return [...faults, 'it is not JSON'];
  }
  const logged = rig.lines.findLast((line) => line['event'] === 'request' && line['id'] === id);
  const operation = byId.get(String(logged?.['operation']));
  const type = String(headers['content-type']);
  if (operation !== undefined) return [...faults, ...documented.problemsOf(operation, status, type, body)];
  return [...faults, ...(status === 200 ? [] : documented.problemsOfProblem(body))];
}

eachDatabase('whatever a request says', (open) => {
  it('EX-017 EX-217 EX-018: its answer is one that is documented, and no fault', {
    timeout: 240_000 + RUNS * 20_000,
  }, async () => {
    const url = open.url();
    const rig = await httpRig(url.startsWith('postgres') ? { databaseUrl: url } : {});
    const token = rig.token(SCOPES);
    const { known, agent } = await seeded(rig.composition);
    const presentedFor = ({ id, access }: Operation) => {
      if (access === 'reporter') return { Authorization: `Bearer ${agent.job.bearer}` };
      // It belongs to a session.
      if (id === registerJob.id) return { Authorization: `Bearer ${agent.token}`, ...agent.session.headers };
      return { Authorization: `Bearer ${token}` };
    };
    const client = new WireClient(rig.url);
    onTestFinished(() => client.close());
    const failures: string[] = [];
    const judge = async (operation: Operation, requests: fc.Arbitrary<WireRequest>): Promise<void> => {
      const property = fc.asyncProperty(requests, async (request) => {
        const answer = await client.send(request);
        if (answer === null) return;
        const faults = faultsOf(rig, request, answer);
        if (faults.length > 0)
          throw new Error(`${faults.join('; ')}: ${answer.status} ${answer.text.slice(0, 400)}`);
      });
      const { failed, counterexample, errorInstance, seed, counterexamplePath } = await fc.check(property, {
        numRuns: RUNS,
        endOnFailure: true,
      });
      if (!failed) return;
      const [request] = counterexample ?? [];
      failures.push(
        `${operation.id}: ${(errorInstance as Error | null)?.message ?? 'failed'}\n  of ${request?.method} ${request?.target} ${JSON.stringify(request?.headers)} ${request?.body?.toString('utf8').slice(0, 400) ?? ''}\n  seed ${seed}, path ${counterexamplePath}`,
      );
    };
    for (const operation of declaredOperations()) {
      // A stream of events goes on until its reader leaves: whoever reads its answer to the end waits for ever.
      if (operation.frame !== undefined) continue;
      const requests = requestsOf(operation, { url: rig.url, presented: presentedFor(operation) }, known);
      await judge(operation, requests.map(wired));
      await judge(operation, requests.chain(broken));
    }
    expect(failures.join('\n')).toBe('');
  });
});
