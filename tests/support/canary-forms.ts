import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** Every form a value can take that a reader would undo without thinking. */
export function formsOf(value: string): Readonly<Record<string, string>> {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((shift) => {
    // The same bytes at each alignment within a longer text; the edges mix with their neighbours.
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes]).toString('base64');
    return text.slice(shift === 0 ? 0 : 4, -4);
  });
  return {
    raw: value,
    half: value.slice(0, value.length / 2),
    ...Object.fromEntries(base64.map((form, i) => [`base64+${i}`, form])),
    base64url: bytes.toString('base64url').slice(0, -4),
    hex: bytes.toString('hex'),
    HEX: bytes.toString('hex').toUpperCase(),
    'json letters': JSON.stringify(value.split('')).slice(1, -1),
  };
}

/** Names of the forms that occur in a text. */
export function formsIn(text: string | Buffer, forms: Readonly<Record<string, string>>): string[] {
  return Object.entries(forms).flatMap(([name, form]) => (text.includes(form) ? [name] : []));
}

/** Every regular file below a directory. */
export function* filesBelow(directory: string): Iterable<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Every row of every table as text. */
export async function textOfPostgres(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')",
    );
    const texts: string[] = [];
    for (const { name } of rows)
      for (const row of (await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)).rows)
        texts.push(row.row);
    if (texts.length <= 10) throw new Error('the database is nearly empty: nothing would be found in it');
    return texts.join('\n');
  } finally {
    await client.end();
  }
}
