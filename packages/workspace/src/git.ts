import { type ErrorCode, PalisadeError, shortened } from '@palisade/contracts';
import { type Budget, type GitResult, type GitSink, runGitProcess } from './git-process.ts';

/** Where a git process looks. Everything is said explicitly: discovery could end in somebody else's repository (FF-020). */
export interface GitScope {
  readonly budget: Budget;
  /** `GIT_DIR`. Without it git discovers the repository from `cwd`; only done for the operator's own directory. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** Where new objects are written; the git directory's own store by default. */
  readonly objectDirectory?: string;
  /** Further object stores to read from. */
  readonly alternates?: readonly string[];
  readonly cwd: string;
  /** Further `-c name=value` settings; they win over any file. */
  readonly config?: readonly string[];
  /** Further settings whose names are not ours: `-c` would end such a name at its first `=`. They win over any file. */
  readonly foreignConfig?: readonly (readonly [name: string, value: string])[];
  /** Lets git read the operator's global configuration. Only for reading single values. */
  readonly readsGlobalConfig?: boolean;
  /** Code of the error thrown when a command fails. */
  readonly failure?: ErrorCode;
}

export interface GitOptions {
  readonly input?: Uint8Array;
  /** Receives stdout instead of memory. */
  readonly output?: GitSink;
  /** Most bytes of stdout; beyond it the process is killed and `too_large` is thrown. */
  readonly maxOutput?: number;
  /** Exit statuses that are answers, not failures. `[0]` by default. */
  readonly accept?: readonly number[];
}

/*
 * Settings every call carries. They switch off each way in which git runs a program named by a
 * configuration or attribute, and each way in which the operator's taste changes bytes (FF-009,
 * FF-135).
 */
const FIXED_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=',
  'core.quotePath=true',
  'core.commitGraph=false',
  'core.multiPackIndex=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'protocol.allow=never',
  'submodule.recurse=false',
  'diff.external=',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.renames=false',
  'diff.algorithm=myers',
  'diff.context=3',
  'diff.interHunkContext=0',
  'diff.indentHeuristic=true',
  'diff.suppressBlankEmpty=false',
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
] as const;

/** Bytes of stdout kept in memory unless a call says otherwise. */
const MAX_STDOUT = 1024 * 1024 * 1024;

/**
 * The environment of every git process, built from nothing: inherited `GIT_*` could point at
 * another repository (FF-034), and a home folder would bring configuration (FF-009).
 */
export function gitEnvironment(scope: GitScope): Record<string, string> {
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    // Wins over every `protocol.*.allow` of a file. Some git in use does not know the one above.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_AUTHOR_NAME: 'Palisade',
    GIT_AUTHOR_EMAIL: 'base@palisade.invalid',
    GIT_COMMITTER_NAME: 'Palisade',
    GIT_COMMITTER_EMAIL: 'base@palisade.invalid',
  };
  if (scope.readsGlobalConfig === true) {
    delete env['GIT_CONFIG_GLOBAL'];
    for (const name of ['HOME', 'XDG_CONFIG_HOME']) {
      const value = process.env[name];
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
  }
  const foreign = scope.foreignConfig ?? [];
  if (foreign.length > 0) env['GIT_CONFIG_COUNT'] = String(foreign.length);
  for (const [index, [name, value]] of foreign.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = name;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  if (process.platform === 'win32' && process.env['SystemRoot'] !== undefined)
    env['SystemRoot'] = process.env['SystemRoot'];
  if (scope.gitDir !== undefined) env['GIT_DIR'] = scope.gitDir;
  if (scope.workTree !== undefined) env['GIT_WORK_TREE'] = scope.workTree;
  if (scope.indexFile !== undefined) env['GIT_INDEX_FILE'] = scope.indexFile;
  if (scope.objectDirectory !== undefined) env['GIT_OBJECT_DIRECTORY'] = scope.objectDirectory;
  if (scope.alternates !== undefined && scope.alternates.length > 0)
    env['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = scope.alternates.map(quoteAlternate).join(':');
  return env;
}

/** In that variable a path may be C-quoted; it must be when it holds the separator. */
function quoteAlternate(path: string): string {
  return /[:"\\\n]/.test(path)
    ? `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
    : path;
}

/** Runs git with a fixed scope. Immutable; {@link Git.with} gives a changed copy. */
export class Git {
  readonly scope: GitScope;

  constructor(scope: GitScope) {
    this.scope = scope;
  }

  /** Discovers the repository around a directory that the operator named, whoever owns it: trust is given for each call alone (FF-021). */
  static around(cwd: string, scope: Omit<GitScope, 'cwd' | 'gitDir' | 'config'>): Git {
    return new Git({ ...scope, cwd, config: ['safe.directory=*'] });
  }

  with(change: Partial<GitScope>): Git {
    return new Git({ ...this.scope, ...change });
  }

  /** Runs one command. Throws the scope's failure code with git's own words when its status is not accepted (FF-024). */
  async run(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<GitResult> {
    const settings = [...FIXED_CONFIG, ...(this.scope.config ?? [])].flatMap((entry) => ['-c', entry]);
    const result = await runGitProcess({
      args: [...settings, ...args],
      name: `git ${args[0]}`,
      cwd: this.scope.cwd,
      env: gitEnvironment(this.scope),
      budget: this.scope.budget,
      input: options.input,
      output: options.output,
      maxOutput: options.maxOutput ?? MAX_STDOUT,
    });
    if (!(options.accept ?? [0]).includes(result.code)) throw gitFailed(this.scope, args, result);
    return result;
  }

  /** Stdout as text without its last newline. For object ids and other plain answers only. */
  async text(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<string> {
    const { stdout } = await this.run(args, options);
    return stdout.toString('utf8').replace(/\n$/, '');
  }

  /** Stdout of a `-z` command as its fields. */
  async fields(args: readonly [string, ...string[]], options: GitOptions = {}): Promise<Buffer[]> {
    return splitNul((await this.run(args, options)).stdout);
  }
}

/** The NUL-terminated fields of git's `-z` output, as bytes: names are never unquoted text (FF-010). */
export function splitNul(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
    fields.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) fields.push(bytes.subarray(start));
  return fields;
}

/** The bytes of a `-z --stdin` list. */
export function joinNul(fields: Iterable<Uint8Array>): Buffer {
  const parts: Uint8Array[] = [];
  for (const field of fields) parts.push(field, NUL);
  return Buffer.concat(parts);
}

const NUL = Uint8Array.of(0);

/** The error of a git command that said no, with the words it said. */
export function gitFailed(scope: GitScope, args: readonly string[], result: GitResult): PalisadeError {
  return new PalisadeError(
    scope.failure ?? 'internal',
    `git ${args[0] ?? ''} ended with status ${result.code}`,
    {
      why: shortened(result.stderr.trim()).slice(0, 2_000) || 'git gave no reason',
    },
  );
}
