import * as z from 'zod';
import { operation } from './operation.ts';
import { Millis, Name, WRITE_ONLY } from './schema.ts';

/** A stored secret as listed: never its value (DI-049). */
export const SecretRow = z.strictObject({
  name: Name,
  /** What an environment names it by. */
  ref: z.string(),
  version: z.int().positive(),
  created_at: Millis,
  expires_at: Millis.optional(),
});
export type SecretRow = z.infer<typeof SecretRow>;

/** A hundred years: what lives longer has no time to live, and moments stay numbers that JSON can tell. */
const LONGEST_MS = 100 * 366 * 86_400_000;

export const putSecret = operation({
  id: 'secrets.put',
  method: 'PUT',
  path: '/v1/projects/{project}/secrets/{name}',
  summary: 'Store a secret encrypted under a name; an existing name gets a new version',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({
    name: Name,
    /** Write-only: no operation gives it back. */
    value: z.string().min(1).max(65_536).meta(WRITE_ONLY),
    ttl_ms: z.int().positive().max(LONGEST_MS).optional(),
    /** Answers which version it would be, and stores nothing. */
    dry_run: z.boolean().optional(),
  }),
  output: SecretRow,
  errors: ['master_key_missing', 'secret_undecryptable'],
});

export const listSecrets = operation({
  id: 'secrets.list',
  method: 'GET',
  path: '/v1/projects/{project}/secrets',
  summary: 'Stored secrets by name and version, without values',
  effect: 'read',
  access: 'provision',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(SecretRow) }),
  errors: [],
});
