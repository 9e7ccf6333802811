import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firewall, isDenied } from './environment-firewall.ts';

describe('firewall', () => {
  test('DI-109: nothing passes but the named variables', () => {
    const base = {
      PATH: '/bin',
      HOME: '/root',
      LC_ALL: 'C',
      AWS_REGION: 'eu-central-1',
      DATABASE_URL: 'postgres://u:p@h',
      GITHUB_TOKEN: 'x',
      OPENAI_API_KEY: 'x',
    };
    expect(Object.keys(firewall(base, [])).sort()).toEqual(['AWS_REGION', 'HOME', 'LC_ALL', 'PATH']);
  });

  test('DI-109: an operator lets exact names and prefixes through', () => {
    const base = { CI: '1', CARGO_HOME: '/c', CARGO_TARGET: '/t', CARGO: 'no' };
    expect(firewall(base, ['CI', 'CARGO_*'])).toEqual({ CI: '1', CARGO_HOME: '/c', CARGO_TARGET: '/t' });
  });

  test('DI-109: no allow-list lets identities, own names or loader settings through', () => {
    const denied = [
      'AWS_ACCESS_KEY_ID',
      'AWS_WEB_IDENTITY_TOKEN_FILE',
      'AWS_ROLE_ARN',
      'AWS_PROFILE',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'AZURE_CLIENT_SECRET',
      'KUBECONFIG',
      'PALISADE_MASTER_KEY',
      'PALISADE_FAULT',
      'GIT_DIR',
      'GIT_SSH_COMMAND',
      'git_config_count',
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'BASH_ENV',
      'SSH_AUTH_SOCK',
      'KRB5CCNAME',
      'CREDENTIALS_DIRECTORY',
      'PGPASSFILE',
      'CONTAINER_HOST',
      'DISPLAY',
      'XAUTHORITY',
      'TMUX',
      'VSCODE_IPC_HOOK_CLI',
      'npm_config_script_shell',
      'LUA_INIT',
      'LESSOPEN',
      'MAKEFILES',
      'ZDOTDIR',
      'OPENSSL_CONF',
      'SSLKEYLOGFILE',
      'HOSTALIASES',
    ];
    const base = Object.fromEntries(denied.map((name) => [name, 'x']));
    expect(firewall(base, ['*', ...denied, 'AWS_*', 'GIT_*', 'PALISADE_*', 'npm_*', 'X*', 'T*'])).toEqual({});
  });

  test('DI-109: a bare star allows nothing, a shell function never passes', () => {
    expect(firewall({ ANY: '1' }, ['*'])).toEqual({});
    expect(firewall({ BAD: '() { :; }' }, ['BAD'])).toEqual({});
  });

  test('DI-109: every PALISADE_ name is denied', () => {
    fc.assert(fc.property(fc.stringMatching(/^[A-Z_0-9]{0,20}$/), (rest) => isDenied(`PALISADE_${rest}`)));
  });
});
