import { posix } from 'node:path';
import { isTestFile } from '../structure/test-file.ts';
import { argumentOf, type CheckCommand, NOTHING, type Proposal } from './command.ts';
import type { ProjectFiles } from './project-files.ts';

type Words = readonly [string, ...string[]];

const at = (cwd: string, reason: string, ...argv: Words): CheckCommand => ({ argv, cwd, reason });
/** The folders of files, as arguments in `root`. */
const foldersOf = (root: string, paths: readonly string[]) => [
  ...new Set(paths.map((path) => argumentOf(root, posix.dirname(path)))),
];

export function goRoot(files: ProjectFiles, path: string): string | undefined {
  return path.endsWith('.go') || path === '.' ? files.nearest(posix.dirname(path), 'go.mod') : undefined;
}

/** Of Go: the packages of the change and of its tests (L-06: only of Go files, and packages that are there). */
export function goCommands(
  files: ProjectFiles,
  root: string,
  targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const folders = new Set([...targets, ...tests].map((path) => posix.dirname(path)));
  const packages = [...folders]
    .filter((folder) => files.holds(folder, '.go'))
    .map((folder) => `./${posix.relative(root, folder)}`);
  return {
    fast: packages.length === 0 ? [] : [at(root, 'the packages of this change', 'go', 'test', ...packages)],
    safe: [],
    full: [
      at(root, 'all packages', 'go', 'test', './...'),
      at(root, 'what the compiler lets pass', 'go', 'vet', './...'),
    ],
  };
}

export function pythonRoot(files: ProjectFiles, path: string): string | undefined {
  if (!path.endsWith('.py')) return undefined;
  return (
    files.nearest(posix.dirname(path), 'pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini') ??
    '.'
  );
}

/** Of Python: pytest, and the tools that the project has a configuration for. */
export function pythonCommands(
  files: ProjectFiles,
  root: string,
  _targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const own = tests.filter(isTestFile);
  const project = files.read(posix.join(root, 'pyproject.toml')) ?? '';
  const has = (name: string, ...settings: string[]) =>
    project.includes(`[tool.${name}`) || settings.some((file) => files.has(posix.join(root, file)));
  const isTested = has('pytest', 'pytest.ini') || own.length > 0;
  return {
    fast:
      own.length === 0
        ? []
        : [at(root, 'the tests of this change', 'pytest', ...own.map((path) => argumentOf(root, path)))],
    safe: [
      ...(own.length === 0 ? [] : [at(root, 'the tests beside them', 'pytest', ...foldersOf(root, own))]),
      ...(has('ruff', 'ruff.toml', '.ruff.toml') ? [at(root, 'its linter', 'ruff', 'check', '.')] : []),
    ],
    full: [
      ...(has('tox', 'tox.ini')
        ? [at(root, 'all environments', 'tox')]
        : isTested
          ? [at(root, 'all tests', 'pytest')]
          : []),
      ...(has('mypy', 'mypy.ini') ? [at(root, 'its types', 'mypy', '.')] : []),
      ...(has('pyright', 'pyrightconfig.json') ? [at(root, 'its types', 'pyright')] : []),
    ],
  };
}

export function rubyRoot(files: ProjectFiles, path: string): string | undefined {
  return path.endsWith('.rb') ? files.nearest(posix.dirname(path), 'Gemfile') : undefined;
}

/** Of Ruby: RSpec. */
export function rubyCommands(
  files: ProjectFiles,
  root: string,
  _targets: readonly string[],
  tests: readonly string[],
): Proposal {
  if (!(files.read(posix.join(root, 'Gemfile')) ?? '').includes('rspec')) return NOTHING;
  const own = tests.filter((path) => path.endsWith('_spec.rb'));
  const run = (reason: string, ...paths: string[]) => at(root, reason, 'bundle', 'exec', 'rspec', ...paths);
  return {
    fast:
      own.length === 0 ? [] : [run('the specs of this change', ...own.map((path) => argumentOf(root, path)))],
    safe: own.length === 0 ? [] : [run('the specs beside them', ...foldersOf(root, own))],
    full: [run('all specs')],
  };
}

export function toolRoot(files: ProjectFiles, path: string): string | undefined {
  return files.nearest(posix.dirname(path), 'Cargo.toml', 'gradlew', 'pom.xml', 'Makefile');
}

/** Of build tools that know themselves what to do. */
export function toolCommands(files: ProjectFiles, root: string): Proposal {
  const has = (name: string) => files.has(posix.join(root, name));
  const goals = makeTargets(files.read(posix.join(root, 'Makefile')) ?? '');
  const makes = (names: readonly string[]) =>
    names
      .filter((name) => goals.has(name))
      .map((name) => at(root, `"${name}" of the Makefile`, 'make', name));
  const only = (holds: boolean, command: CheckCommand) => (holds ? [command] : []);
  return {
    fast: only(has('Cargo.toml'), at(root, 'it compiles', 'cargo', 'check')),
    safe: [
      ...only(has('Cargo.toml'), at(root, 'the tests of its package', 'cargo', 'test')),
      ...makes(['test', 'lint']),
    ],
    full: [
      ...only(has('Cargo.toml'), at(root, 'all packages', 'cargo', 'test', '--workspace')),
      ...only(has('gradlew'), at(root, 'all tests', './gradlew', 'test')),
      ...only(has('pom.xml'), at(root, 'all tests', 'mvn', '-q', 'test')),
      ...makes(['test', 'lint', 'typecheck', 'check', 'build']),
    ],
  };
}

function makeTargets(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].map(([, name]) => name ?? ''));
}
