import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  attemptDir,
  available,
  makeSpec,
  printed,
  providers,
  repository,
} from '../../test/attempt-fixture.ts';
import { filesWith, resultOf, startWorker, until } from '../../test/worker-process.ts';
import { runAttempt } from '../attempt/attempt.ts';

const TOKEN = 'canary+Tok/en="4711"&more';
const KEY = `-----BEGIN TEST KEY-----\n${Buffer.from('canary key material, forty-eight bytes of it, yes').toString('base64')}\n-----END TEST KEY-----\n`;
const secrets = { TOKEN, KEY };
const needles = [
  TOKEN,
  TOKEN.slice(0, 18),
  Buffer.from(TOKEN).toString('base64').slice(0, 30),
  Buffer.from(TOKEN).toString('hex').slice(0, 40),
  KEY.split('\n')[1] ?? KEY,
];
const command = (text: string): { run: { harness: 'command'; command: string } } => ({
  run: { harness: 'command', command: text },
});

describe.each(['process', 'bubblewrap'])('secrets in %s', (provider) => {
  test.skipIf(!available.includes(provider))(
    'EX-202, DI-104, DI-111: secrets are in no command line and in no file the attempt leaves, however they are shown',
    async () => {
      const dir = attemptDir(
        makeSpec({
          sandbox: { provider },
          secret_names: Object.keys(secrets),
          agent: {
            ...command(
              [
                'echo "plain $TOKEN"; echo "$TOKEN" >&2; echo "$KEY"',
                'printf "%s" "$TOKEN" | base64; printf "%s" "x$TOKEN" | base64 -w0; echo; printf "%s" "$TOKEN" | od -An -tx1 | tr -d " \\n"; echo',
                'echo "I used $TOKEN" > "$PALISADE_SUMMARY_FILE"',
                'for part in 1 2; do printf "%s" "${TOKEN:0:9}"; sleep 0.1; printf "%s\\n" "${TOKEN:9}"; done',
                'echo ready; while [ ! -e go ]; do sleep 0.05; done',
              ].join('\n'),
            ),
          },
          verify: { command: 'echo "verify saw $TOKEN"; exit 1' },
        }),
      );
      const { ended, child } = startWorker(dir, { secrets });
      await until('the agent shows what it has', () => printed(dir).includes('ready'));
      const lines = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
        .flatMap((name) => {
          try {
            return [readFileSync(`/proc/${name}/cmdline`, 'latin1')];
          } catch {
            return [];
          }
        });
      expect(lines.filter((line) => needles.some((needle) => line.includes(needle)))).toEqual([]);
      // The worker itself holds them in memory only.
      expect(readFileSync(`/proc/${child.pid}/environ`, 'latin1')).not.toContain('canary');
      // What the agent itself wrote into its workspace is not the worker's.
      const agentsOwn = [join(dir, 'workspace/.palisade/summary.md')];
      expect(filesWith(dir, needles, agentsOwn)).toEqual([]);
      writeFileSync(join(dir, 'workspace/go'), '');
      expect(await ended).toMatchObject({ code: 0, stderr: '' });
      const result = resultOf(dir);
      expect(result.outcome).toBe('succeeded');
      expect(result.product.summary).toBe('I used <redacted:secret>');
      expect(result.product.verify?.report).toContain('verify saw <redacted:secret>');
      expect(printed(dir).match(/<redacted:secret>/g)?.length).toBeGreaterThanOrEqual(7);
      expect(filesWith(dir, needles, agentsOwn)).toEqual([]);
    },
  );
});

describe('products', () => {
  const git = (): { kind: 'git'; git_dir: string; commit: string } => {
    const repo = repository({ 'a.txt': 'one\n' });
    return { kind: 'git', git_dir: repo.gitDir, commit: repo.commit };
  };

  test.each([
    ['a text file', 'mkdir sub; printf "x\\n%s\\n" "$TOKEN" > sub/leak.txt', '"sub/leak.txt"', 'TOKEN'],
    ['a binary file', '{ head -c 3000 /dev/zero; printf "%s" "$TOKEN"; } > leak.bin', '"leak.bin"', 'TOKEN'],
    ['base64', 'printf "%s" "$TOKEN" | base64 > leak.b64', '"leak.b64"', 'TOKEN'],
    ['a line of a key', 'echo "$KEY" | sed "s/^/  /" > key.txt', '"key.txt"', 'KEY'],
    [
      'an output',
      'printf "%s" "$TOKEN" > outputs/report.txt; echo fine > outputs/fine',
      '"report.txt"',
      'TOKEN',
    ],
    [
      'the name of a file',
      'touch "$(printf %s "$KEY" | sed -n 2p | cut -c1-60)$(printf %s "$KEY" | sed -n 2p | cut -c61-)"',
      '',
      'KEY',
    ],
  ])(
    'DI-048: a product that holds a secret as %s is withheld and only the names are told',
    async (_how, script, file, secret) => {
      const dir = attemptDir(
        makeSpec({ workspace: git(), secret_names: Object.keys(secrets), agent: command(script) }),
      );
      const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets });
      expect(result).toMatchObject({ outcome: 'failed', code: 'credential_in_text', retryable: false });
      expect(result.reason).toContain(file);
      expect(result.reason).toContain(`secret ${secret}`);
      expect(result.product.result_ref).toBeUndefined();
      expect(existsSync(join(dir, 'products/patch'))).toBe(false);
      expect(filesWith(join(dir, 'products'), needles)).toEqual([]);
      expect(needles.some((needle) => JSON.stringify(result).includes(needle))).toBe(false);
    },
  );

  test('a product that only mentions a secret’s name, or a short value, is a product', async () => {
    const dir = attemptDir(
      makeSpec({
        workspace: git(),
        secret_names: ['TOKEN', 'PIN', 'KEY'],
        agent: command('echo "TOKEN PIN=1234 -----BEGIN TEST KEY-----" > notes'),
      }),
    );
    const result = await runAttempt({
      attemptDir: dir,
      sandboxes: providers,
      secrets: { ...secrets, PIN: '1234' },
    });
    expect(result.outcome).toBe('succeeded');
    expect(result.product.result_ref).toMatch(/^sha256:/);
    expect(result.product.warnings?.join()).toContain('PIN');
  });

  test('DI-112: a later capture replaces an earlier one, also when it finds nothing any more', async () => {
    const dir = attemptDir(
      makeSpec({
        workspace: git(),
        agent: command('if [ -e new ]; then rm new outputs/o; else echo 1 > new; echo 1 > outputs/o; fi'),
        pipeline: [
          { kind: 'agent' },
          { kind: 'capture', what: 'patch' },
          { kind: 'capture', what: 'outputs' },
          { kind: 'agent' },
          { kind: 'capture', what: 'patch' },
          { kind: 'capture', what: 'outputs' },
        ],
      }),
    );
    const result = await runAttempt({ attemptDir: dir, sandboxes: providers, secrets: {} });
    expect(result).toMatchObject({ outcome: 'succeeded', files: [] });
    expect(result.product.result_ref).toBeUndefined();
    expect(result.product.outputs).toBeUndefined();
  });
});
