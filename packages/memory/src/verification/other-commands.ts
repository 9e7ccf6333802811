import { posix } from 'node:path';
import { isTestFile } from '../structure/test-file.ts';
import { type CheckCommand, NOTHING, type Proposal } from './command.ts';
import type { ProjectFiles } from './project-files.ts';

type Words = readonly [string, ...string[]];

const at = (cwd: string, reason: string, ...argv: Words): CheckCommand => ({ argv, cwd, reason });
const within = (folder: string, path: string) => posix.relative(folder, path);

/** Of Go: the packages of the change and of its tests (L-06: only of Go files). */
export function goCommands(
  files: ProjectFiles,
  targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const sources = [...targets, ...tests].filter((path) => path.endsWith('.go'));
  const module = files.nearest(posix.dirname(sources[0] ?? '.'), 'go.mod');
  if (module === undefined) return NOTHING;
  const packages = [...new Set(sources.map((path) => `./${within(module, posix.dirname(path))}`))];
  return {
    fast: packages.slice(0, 5).map((name) => at(module, 'the package of this change', 'go', 'test', name)),
    safe: [],
    full: [
      at(module, 'all packages', 'go', 'test', './...'),
      at(module, 'what the compiler lets pass', 'go', 'vet', './...'),
    ],
  };
}

/** Of Python: pytest, and the tools that the project has a configuration for. */
export function pythonCommands(
  files: ProjectFiles,
  targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const own = tests.filter(
    (path) => path.endsWith('.py') && isTestFile(path) && !path.endsWith('conftest.py'),
  );
  const start = posix.dirname(own[0] ?? targets.find((path) => path.endsWith('.py')) ?? '.');
  const root =
    files.nearest(start, 'pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'tox.ini') ?? '.';
  const project = files.read(posix.join(root, 'pyproject.toml')) ?? '';
  const has = (name: string, ...own: string[]) =>
    project.includes(`[tool.${name}`) || own.some((file) => files.has(posix.join(root, file)));
  const isPython =
    own.length > 0 || targets.some((path) => path.endsWith('.py')) || has('pytest', 'pytest.ini');
  if (!isPython) return NOTHING;
  const folders = [...new Set(own.map((path) => within(root, posix.dirname(path)) || '.'))];
  return {
    fast:
      own.length === 0
        ? []
        : [at(root, 'the tests of this change', 'pytest', ...own.map((path) => within(root, path)))],
    safe: [
      ...(folders.length === 0 ? [] : [at(root, 'the tests beside them', 'pytest', ...folders)]),
      ...(has('ruff', 'ruff.toml', '.ruff.toml') ? [at(root, 'its linter', 'ruff', 'check', '.')] : []),
    ],
    full: [
      ...(has('tox', 'tox.ini')
        ? [at(root, 'all environments', 'tox')]
        : has('pytest', 'pytest.ini') || own.length > 0
          ? [at(root, 'all tests', 'pytest')]
          : []),
      ...(has('mypy', 'mypy.ini') ? [at(root, 'its types', 'mypy', '.')] : []),
      ...(has('pyright', 'pyrightconfig.json') ? [at(root, 'its types', 'pyright')] : []),
    ],
  };
}

/** Of Ruby: RSpec. */
export function rubyCommands(
  files: ProjectFiles,
  _targets: readonly string[],
  tests: readonly string[],
): Proposal {
  const own = tests.filter((path) => path.endsWith('_spec.rb'));
  const root = files.nearest(posix.dirname(own[0] ?? '.'), 'Gemfile');
  if (root === undefined || !(files.read(posix.join(root, 'Gemfile')) ?? '').includes('rspec'))
    return NOTHING;
  const run = (reason: string, ...paths: string[]) => at(root, reason, 'bundle', 'exec', 'rspec', ...paths);
  const folders = [...new Set(own.map((path) => within(root, posix.dirname(path)) || '.'))];
  return {
    fast: own.length === 0 ? [] : [run('the specs of this change', ...own.map((path) => within(root, path)))],
    safe: folders.length === 0 ? [] : [run('the specs beside them', ...folders)],
    full: [run('all specs')],
  };
}

/** Of build tools that know themselves what to do. */
export function toolCommands(files: ProjectFiles, targets: readonly string[]): Proposal {
  const found = (file: string, ending?: string) =>
    ending === undefined || targets.some((path) => path.endsWith(ending))
      ? files.nearest(posix.dirname(targets[0] ?? '.'), file)
      : undefined;
  const cargo = found('Cargo.toml', '.rs');
  const gradle = found('gradlew');
  const maven = found('pom.xml', '.java');
  const make = found('Makefile');
  const goals =
    make === undefined ? new Set<string>() : makeTargets(files.read(posix.join(make, 'Makefile')) ?? '');
  const makes = (names: readonly string[]) =>
    names
      .filter((name) => goals.has(name))
      .map((name) => at(make ?? '.', `"${name}" of the Makefile`, 'make', name));
  return {
    fast: cargo === undefined ? [] : [at(cargo, 'it compiles', 'cargo', 'check')],
    safe: [
      ...(cargo === undefined ? [] : [at(cargo, 'the tests of its package', 'cargo', 'test')]),
      ...makes(['test', 'lint']),
    ],
    full: [
      ...(cargo === undefined ? [] : [at(cargo, 'all packages', 'cargo', 'test', '--workspace')]),
      ...(gradle === undefined ? [] : [at(gradle, 'all tests', './gradlew', 'test')]),
      ...(maven === undefined ? [] : [at(maven, 'all tests', 'mvn', '-q', 'test')]),
      ...makes(['test', 'lint', 'typecheck', 'check', 'build']),
    ],
  };
}

function makeTargets(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm)].map(([, name]) => name ?? ''));
}
