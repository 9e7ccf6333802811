import { posix } from 'node:path';
import { argumentOf, type CheckCommand, type Proposal } from './command.ts';
import type { ProjectFiles } from './project-files.ts';

const MANAGERS = [
  ['pnpm', 'pnpm-lock.yaml'],
  ['yarn', 'yarn.lock'],
  ['bun', 'bun.lock', 'bun.lockb'],
  ['npm', 'package-lock.json', 'npm-shrinkwrap.json'],
] as const;

const CHECKING = /^(?:test|lint|check|type|build)/;

/** The nearest folder upwards whose `package.json` has scripts that check something. */
export function scriptRoot(files: ProjectFiles, path: string): string | undefined {
  return packageWithScripts(files, path);
}

/** Of JavaScript and TypeScript: the scripts of a `package.json`. */
export function scriptCommands(
  files: ProjectFiles,
  folder: string,
  _targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const scripts = files.scripts(folder);
  const manager = managerOf(files, folder);
  const make = (script: string, paths: readonly string[], reason: string): CheckCommand => ({
    argv: [
      manager,
      ...(manager === 'npm' ? ['run', '-s'] : ['run']),
      script,
      ...(manager === 'npm' && paths.length > 0 ? ['--'] : []),
      ...paths,
    ],
    cwd: folder,
    reason,
  });
  const own = tests.filter((path) => /\.[cm]?[jt]sx?$/.test(path)).map((path) => argumentOf(folder, path));
  const test = ['test:unit', 'test'].find((name) => isReal(scripts.get(name)));
  const whole = (names: readonly string[], reason: string) =>
    names
      .filter((name) => isReal(scripts.get(name)))
      .map((name) => make(name, [], `${reason}: "${name}" of package.json`));
  return {
    fast: test === undefined || own.length === 0 ? [] : [make(test, own, 'the tests of this change')],
    safe: whole([...new Set(['test:unit', 'test'])], 'all tests'),
    full: whole(['test', 'lint', 'typecheck', 'type-check', 'types', 'check', 'build'], 'the whole project'),
  };
}

function packageWithScripts(files: ProjectFiles, target: string): string | undefined {
  for (let at = files.nearest(posix.dirname(target), 'package.json'); at !== undefined; ) {
    if ([...files.scripts(at).keys()].some((name) => CHECKING.test(name))) return at;
    if (at === '.') return undefined;
    at = files.nearest(posix.dirname(at), 'package.json');
  }
  return undefined;
}

/** `npm init` writes a test that only fails. */
function isReal(script: unknown): boolean {
  return typeof script === 'string' && !script.includes('no test specified');
}

function managerOf(files: ProjectFiles, folder: string): string {
  for (const [name, ...locks] of MANAGERS) if (files.nearest(folder, ...locks) !== undefined) return name;
  return 'npm';
}
