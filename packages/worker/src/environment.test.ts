import { describe, expect, test } from 'vitest';
import { mergeEnvironment } from './environment.ts';

describe('mergeEnvironment', () => {
  const places = {
    HOME: '/w/.palisade/home',
    PWD: '/w',
    TMPDIR: '/w/.palisade/tmp',
    GIT_CEILING_DIRECTORIES: '/',
  };

  test('DI-110: values override the base, secrets override values, the contract overrides all', () => {
    const env = mergeEnvironment({
      base: { PATH: '/base', LANG: 'C', HOME: '/root', TMP: '/tmp' },
      allow: [],
      places,
      values: { LANG: 'de_DE', TOKEN: 'value' },
      secrets: { TOKEN: 'secret', PALISADE_RUN_ID: 'forged', PALISADE_OTHER: 'x' },
      contract: { PALISADE_RUN_ID: 'run_1' },
    });
    expect(env).toEqual({
      PATH: '/base',
      LANG: 'de_DE',
      ...places,
      TMP: places.TMPDIR,
      TEMP: places.TMPDIR,
      TOKEN: 'secret',
      PALISADE_RUN_ID: 'run_1',
    });
  });
});
