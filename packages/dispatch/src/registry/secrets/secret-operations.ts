import {
  bindOperation,
  type BoundOperation,
  listSecrets,
  PalisadeError,
  putSecret,
  type SecretRow,
} from '@palisade/contracts';
import { formatSecretRef, receiptOf, type SecretFacts } from '@palisade/kernel';
import type { RegistryRooms } from '../project-rooms.ts';

const PAGE = 500;

/** The operations on secrets: values go in, metadata comes out (EX-200, DI-049). */
export function secretOperations({ secrets: of }: Pick<RegistryRooms, 'secrets'>): BoundOperation[] {
  return [
    bindOperation(putSecret, async ({ name, value, ttl_ms: ttlMs, dry_run: dryRun }, context) => {
      assertUsable(value);
      const put = await of(context.project).put(name, value, {
        ttlMs,
        dryRun,
        receipt: receiptOf(context, putSecret.id),
      });
      return secretRow(put);
    }),
    bindOperation(listSecrets, async (_, { project }) => {
      const secrets = of(project);
      const data: SecretRow[] = [];
      for (let after: string | undefined; ; ) {
        const page = await secrets.list(after === undefined ? { limit: PAGE } : { after, limit: PAGE });
        data.push(...page.map((facts) => secretRow({ ...facts, created_at: facts.updated_at })));
        if (page.length < PAGE) return { data };
        after = page.at(-1)?.name;
      }
    }),
  ];
}

/**
 * A secret's latest version: since when and until when. The reference means the latest, so that an
 * environment sees a rotation at the moment of use.
 */
function secretRow({
  name,
  version,
  created_at,
  expires_at,
}: Pick<SecretFacts, 'name' | 'version' | 'created_at' | 'expires_at'>): SecretRow {
  const row = { name, ref: formatSecretRef({ name }), version, created_at };
  return expires_at === null ? row : { ...row, expires_at };
}

// A secret ends as an environment variable or a file; the text is never part of the message.
function assertUsable(value: string): void {
  if (value.includes('\u0000'))
    throw new PalisadeError(
      'invalid_input',
      'the value holds a zero byte, which no environment variable can',
    );
}
