import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, foreignFault, isPalisadeError, PalisadeError, toPalisadeError } from './errors.ts';

/** An error made where `Error` is another class than here. */
const elsewhere = (script: string): unknown => runInNewContext(script);

describe('the error catalogue', () => {
  it('DI-016: an error is known by name and code, whichever copy of the module or realm made it', async () => {
    // The query makes it another module, as a second installed version would be.
    const address = new URL('./errors.ts?copy', import.meta.url).href;
    const copy = (await import(address)) as typeof import('./errors.ts');
    const theirs = new copy.PalisadeError('integrity_mismatch', 'damaged', { next: 'fetch it again' });
    expect(theirs).not.toBeInstanceOf(PalisadeError);
    expect(isPalisadeError(theirs, 'integrity_mismatch')).toBe(true);
    expect(isPalisadeError(theirs, 'not_found')).toBe(false);
    expect(toPalisadeError(theirs)).toBe(theirs);
    const foreign = elsewhere(
      "Object.assign(new Error('gone'), { name: 'PalisadeError', code: 'not_found', issues: [] })",
    );
    expect(foreign).not.toBeInstanceOf(Error);
    expect(isPalisadeError(foreign, 'not_found')).toBe(true);
  });

  it('DI-016: the catalogue is closed: another name, an unknown code and a look-alike are not ours', () => {
    const named = (name: string, code: unknown) => Object.assign(new Error('x'), { name, code });
    for (const error of [
      named('Error', 'not_found'),
      named('PalisadeError', 'no_such_code'),
      named('PalisadeError', 'constructor'),
      named('PalisadeError', undefined),
      new Error('not_found'),
      'not_found',
      null,
      undefined,
      { code: 'not_found' },
    ])
      expect(isPalisadeError(error)).toBe(false);
    for (const [code, facts] of Object.entries(errorCatalogue)) {
      expect(facts.status, code).toBeGreaterThanOrEqual(400);
      expect([1, 2, 3, 4, 5, 6, 7], code).toContain(facts.exit);
      // 7 is for what can be tried again unchanged, and nothing else.
      if (facts.exit === 7) expect(facts.retryable, code).toBe(true);
    }
  });

  it('DI-016: a foreign throw becomes ours at the edge, with a full disk told apart, from any realm', () => {
    const full = elsewhere("Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' })");
    expect(toPalisadeError(full)).toMatchObject({ code: 'storage_full', cause: full });
    const odd = elsewhere("new TypeError('odd')");
    expect(toPalisadeError(odd, 'provider_failed')).toMatchObject({
      code: 'provider_failed',
      message: 'TypeError',
      cause: odd,
    });
    expect(toPalisadeError('text')).toMatchObject({ code: 'internal', message: 'an unknown fault' });
  });

  it('FF-129: what is told of a foreign error is made from its named fields, never from its text', () => {
    const canary = 'hunter2';
    const parse = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch (error) {
        return error;
      }
    };
    const foreign: [unknown, string][] = [
      [parse(`{"token": ${canary}}`), 'SyntaxError'],
      [new Error(`401 for Authorization: Bearer ${canary}`), 'Error'],
      [
        Object.assign(new Error(`connect postgres://u:${canary}@h`), { code: 'ECONNREFUSED' }),
        'Error ECONNREFUSED',
      ],
      [canary, 'an unknown fault'],
      [{ token: canary }, 'an unknown fault'],
    ];
    for (const [error, told] of foreign) {
      const ours = toPalisadeError(error);
      expect(ours.message).toBe(told);
      expect(JSON.stringify({ ...ours, cause: undefined }) + ours.stack?.split('\n')[0]).not.toContain(
        canary,
      );
      expect(ours.cause).toBe(error);
    }
    let missing: unknown;
    try {
      readFileSync('/no/such/file');
    } catch (error) {
      missing = error;
    }
    expect(toPalisadeError(missing).message).toBe('ENOENT in open of /no/such/file');
    const reply = Object.assign(new Error(`no ${canary}`), { statusCode: 404 });
    expect(foreignFault(reply)).toBe('Error, status 404');
    const started = Object.assign(new Error('spawn x ENOENT'), {
      code: 'ENOENT',
      syscall: 'spawn x',
      path: 'x',
    });
    expect(foreignFault(started)).toBe('ENOENT in spawn of x');
  });
});
