import {
  type BoundOperation,
  bindOperation,
  listSecrets,
  PalisadeError,
  putSecret,
  type SecretRow,
} from '@palisade/contracts';
import { formatSecretRef, type SecretStore } from '@palisade/kernel';

const PAGE = 500;

/** The operations that store and list secrets; no operation gives a value back. */
export function secretOperations(secrets: SecretStore): BoundOperation[] {
  return [
    bindOperation(putSecret, async ({ name, value, ttl_ms }) => {
      const put = await secrets.put(name, value, { ttlMs: ttl_ms });
      const row = (await listAll(secrets)).find((other) => other.name === put.name);
      if (row === undefined)
        throw new PalisadeError('secret_missing', `the secret ${name} was removed meanwhile`);
      return row;
    }),
    bindOperation(listSecrets, async () => ({ data: await listAll(secrets) })),
  ];
}

async function listAll(secrets: SecretStore): Promise<SecretRow[]> {
  const rows: SecretRow[] = [];
  for (;;) {
    const last = rows.at(-1);
    const page = await secrets.list({ limit: PAGE, ...(last === undefined ? {} : { after: last.name }) });
    for (const facts of page) {
      rows.push({
        name: facts.name,
        ref: formatSecretRef({ name: facts.name }),
        version: facts.version,
        created_at: facts.created_at,
        ...(facts.expires_at === null ? {} : { expires_at: facts.expires_at }),
      });
    }
    if (page.length < PAGE) return rows;
  }
}
