import { randomFillSync } from 'node:crypto';

/** Prefixes of generated ids (architecture §9). */
export type IdPrefix =
  | 'prj'
  | 'prn'
  | 'crd'
  | 'bses'
  | 'hses'
  | 'hsub'
  | 'pjob'
  | 'prod'
  | 'rep'
  | 'pky'
  | 'pkc'
  | 'run'
  | 'att'
  | 'pit'
  | 'evt'
  | 'cap'
  | 'agt'
  | 'env'
  | 'art'
  | 'clk'
  | 'wsp'
  | 'hld'
  | 'apr'
  | 'sch'
  | 'snp'
  | 'msg'
  | 'job'
  | 'req';

let lastMs = 0;
let counter = 0;
/** Random bytes drawn 512 ids at a time: a draw costs as much as the rest of an id, however short. */
const pool = Buffer.alloc(8 * 512);
let drawn = pool.length;

/**
 * A new id: `<prefix>_` and a UUIDv7 (RFC 9562 §5.7) as 32 lower-case hex digits. Ids made by one
 * process sort in the order they were made: 12 bits of `rand_a` count within a millisecond.
 */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  return `${prefix}_${time}7${counter.toString(16).padStart(3, '0')}${randomB()}`;
}

/** 64 bits in hex: the variant `10` and 62 random bits. */
function randomB(): string {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const at = drawn;
  drawn += 8;
  pool[at] = ((pool[at] ?? 0) & 0x3f) | 0x80;
  return pool.toString('hex', at, drawn);
}

/** The rule for names a user chooses for runs, items, agents, capabilities, environments, locks and keys (DI-015). */
export const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:~@-]{0,127}$/;

/**
 * True for a usable name: 1 to 128 of letters, digits and `. _ : ~ @ -`, starting with a letter or
 * digit. No `/`, no control character, and no U+001F can occur, so names are safe in paths and keys.
 */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME_PATTERN.test(value) && !value.includes('..');
}
