import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

/**
 * A repository with a history of so many commits: 5,000 files in 200 folders, changed unevenly and in groups,
 * as people do; every fiftieth commit renames a file.
 */
export async function longHistory(directory: string, commits: number): Promise<void> {
  mkdirSync(directory, { recursive: true });
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: directory });
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: directory,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const names = Array.from({ length: 5_000 }, (_, at) => `area${at % 200}/file${at}.ts`);
  const body = (at: number, mark: number) =>
    `import { value${(at + 200) % 5_000} } from '../${names[(at + 200) % 5_000]}';\nexport const value${at} = ${mark};\n${'// a line of text\n'.repeat(30)}`;
  const born = new Set<number>();
  for (let commit = 0; commit < commits; commit++) {
    const when = `${1_500_000_000 + commit * 3_600} +0000`;
    const pieces = [
      `commit refs/heads/main\ncommitter P${commit % 17} <p${commit % 17}@example.org> ${when}\n`,
      text(random() < 0.2 ? `Fix number ${commit}` : `Change number ${commit}`),
    ];
    const first = Math.floor(random() ** 3 * names.length);
    for (let each = 0; each < 1 + Math.floor(random() * 6); each++) {
      const at = (first + (each % 2 === 0 ? 200 : 1) * each) % names.length;
      born.add(at);
      pieces.push(`M 100644 inline ${names[at]}\n`, text(body(at, commit)));
    }
    if (commit % 50 === 49) {
      const [at] = [...born].slice(-1);
      const to = `area${commit % 200}/moved${commit}.ts`;
      if (at !== undefined) {
        pieces.push(`R ${names[at]} ${to}\n`);
        names[at] = to;
      }
    }
    if (!child.stdin.write(pieces.join(''))) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  await ended;
  execFileSync('git', ['reset', '--quiet', '--hard', 'main'], { cwd: directory });
}

function text(words: string): string {
  return `data ${Buffer.byteLength(words)}\n${words}\n`;
}
