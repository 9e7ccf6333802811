/*
 * A process that writes: `writer-process.ts <url> <name> <count>`. Each write raises the row `total` and
 * inserts a row of its own; after the write resolved, its number is printed on a line.
 */
import { writeSync } from 'node:fs';
import { openDatabase } from '../src/index.ts';
import { probeMigrations } from './probe-schema.ts';

const [url = '', name = '', count = '0'] = process.argv.slice(2);
const database = await openDatabase({ url, migrations: probeMigrations });
for (let n = 0; n < Number(count); n++) {
  await database.write(async (tx) => {
    await tx.sql.run(
      `INSERT INTO probe (id, n) VALUES ('total', 1) ON CONFLICT (id) DO UPDATE SET n = probe.n + 1`,
    );
    await tx.sql.run('INSERT INTO probe (id, n) VALUES (?, ?)', [`${name}-${n}`, n]);
    await tx.journal.append('run:all', 'item.canceled', { item: name, reason: String(n) });
  });
  writeSync(1, `${n}\n`);
}
await database.close();
