import { expect, it } from 'vitest';
import { chosenRunId } from './chosen-run-id.ts';

it('AC-005: a name is an id in the default project, and part of one elsewhere', () => {
  expect(chosenRunId('default', 'nightly')).toBe('nightly');
  expect(chosenRunId('web-shop', 'nightly')).toBe('web-shop~nightly');
  expect(chosenRunId('web-shop', 'web-shop~nightly')).toBe('web-shop~nightly');
  expect(chosenRunId('default', 'Nightly~2')).toBe('Nightly~2');
});

it('AC-005: no name is the id of a run of another project', () => {
  for (const [project, name] of [
    ['default', 'web-shop~nightly'],
    ['web-shop', 'web-app~nightly'],
    ['web-shop', 'web-shop~web-app~nightly'],
  ] as const)
    expect(() => chosenRunId(project, name)).toThrow('cannot name a run');
  expect(() => chosenRunId('web-shop', 'n'.repeat(128))).toThrow('too long');
});
