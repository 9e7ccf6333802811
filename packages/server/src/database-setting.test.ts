import { expect, it } from 'vitest';
import { databaseSetting } from './database-setting.ts';

const of = (PALISADE_DATABASE_URL?: string) => databaseSetting({ PALISADE_DATABASE_URL });

it('a PostgreSQL address is taken as it is, nothing is nothing', () => {
  expect(of('postgres://u@h:5432/d')).toBe('postgres://u@h:5432/d');
  expect(of('postgresql://h/d')).toBe('postgresql://h/d');
  expect([of(), of('')]).toEqual([undefined, undefined]);
});

it.each([
  'C:\\data\\hunter2.db',
  'C:/data/hunter2.db',
  '/data/hunter2.db',
  'hunter2.db',
  'file:hunter2',
  'postgres://[hunter2',
])('FF-170: %s is refused and not repeated: no other database comes into being', (url) => {
  expect(() => of(url)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  expect(() => of(url)).not.toThrow(/hunter2/);
});
