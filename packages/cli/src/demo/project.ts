import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small real project: three functions with a mistake each, and a test for every one. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Shop\n\nPrices and greetings.\n',
  'src/add.sh': 'add() { echo $(($1 - $2)); }\n',
  'src/greet.sh': 'greet() { echo "helo $1"; }\n',
  'src/price.sh': 'price() { echo "$1 EUR"; }\n',
  'test.sh': `. ./src/add.sh; . ./src/greet.sh; . ./src/price.sh
failed=0
check() { [ "$2" = "$3" ] && echo "ok   $1" || { echo "FAIL $1: got '$2', wanted '$3'"; failed=1; }; }
case "$1" in
  add) check add "$(add 2 3)" 5 ;;
  greet) check greet "$(greet Ada)" "hello Ada" ;;
  *) check add "$(add 2 3)" 5; check greet "$(greet Ada)" "hello Ada"; check price "$(price 3)" "3.00 EUR" ;;
esac
exit $failed
`,
};

/** Makes the project as a git repository in a new temporary directory. */
export function makeProject(): string {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-demo-'));
  mkdirSync(join(directory, 'src'));
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(directory, path), text);
  const git = (...args: string[]): void => {
    execFileSync(
      'git',
      [
        '-c',
        'user.name=Demo',
        '-c',
        'user.email=demo@localhost',
        '-c',
        'commit.gpgSign=false',
        '-c',
        'core.hooksPath=/dev/null',
        ...args,
      ],
      {
        cwd: directory,
        stdio: 'ignore',
      },
    );
  };
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Start');
  return directory;
}

/**
 * The plan: two repairs side by side, one of which fails first and is tried again; a step that works
 * on both their patches under a lock; and a check of the whole.
 */
export function demoPlan(): object {
  const patchOf = (item: string): object => ({ from: item, select: { kind: 'patch' }, apply: true });
  return {
    title: 'repair the shop',
    items: [
      {
        id: 'fix-add',
        title: 'make add add',
        run: {
          harness: 'scripted',
          steps: [
            { do: 'say', text: 'add subtracts; it should add' },
            { do: 'replace', path: 'src/add.sh', find: '$1 - $2', with: '$1 + $2' },
          ],
        },
        verify: { command: 'sh test.sh add' },
      },
      {
        id: 'fix-greet',
        title: 'spell hello; its first attempt fails',
        command: [
          'tries="$PALISADE_ATTEMPT"',
          '[ "$tries" = 1 ] && { echo "not yet: the first attempt fails on purpose" >&2; exit 9; }',
          `sed 's/helo/hello/' src/greet.sh > new && mv new src/greet.sh`,
        ].join('\n'),
        retry: { max_attempts: 2, backoff_ms: 200 },
        verify: { command: 'sh test.sh greet' },
      },
      {
        id: 'fix-price',
        title: 'print cents, on top of both repairs',
        command: `printf '%s\\n' 'price() { printf "%s.00 EUR\\n" "$1"; }' > src/price.sh`,
        needs: { add: patchOf('fix-add'), greet: patchOf('fix-greet') },
        resourceLocks: ['price-list'],
      },
      {
        id: 'check',
        title: 'run every test on everything together',
        command: 'sh test.sh && mkdir -p outputs && sh test.sh > outputs/report.txt',
        needs: { add: patchOf('fix-add'), greet: patchOf('fix-greet'), price: patchOf('fix-price') },
        resourceLocks: ['price-list'],
      },
    ],
  };
}
