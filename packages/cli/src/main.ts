import { type Connections, localConnections } from './control-plane.ts';
import type { Invocation, Io } from './invocation.ts';
import type { Declaration } from './tree/declaration.ts';
import type { Parsed } from './tree/parse.ts';
import { findCommand, resolveCommand } from './tree/resolve.ts';
import { UsageError } from './tree/usage-error.ts';
import { Sink, type Stream } from './output/sink.ts';

/** Where a command line reads and writes. `process` is one. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Stream;
  readonly stderr: Stream;
}

/**
 * The `palisade` command. Sets `process.exitCode` and returns when everything is written; it never
 * ends the process itself, so that nothing printed is lost.
 */
export async function main(
  argv: readonly string[],
  connections: Connections = localConnections,
): Promise<void> {
  process.exitCode = await run(argv, connections, process);
  // A terminal that was read from keeps the process alive; nothing more is expected of it.
  process.stdin.unref?.();
}

/** One command line from its words to its exit code, with everything written. It never throws. */
export async function run(
  argv: readonly string[],
  connections: Connections,
  streams: Streams,
): Promise<number> {
  const io = { stdin: streams.stdin, out: new Sink(streams.stdout), err: new Sink(streams.stderr) };
  let code: number;
  try {
    code = await execute(argv, connections, io);
  } catch (error) {
    code = await report(error, argv, io);
  }
  await Promise.all([io.out.drained(), io.err.drained()]);
  return code;
}

async function execute(argv: readonly string[], connections: Connections, io: Io): Promise<number> {
  const words = ownWords(argv);
  if (words.includes('--version') || words.includes('-V')) return execute(['version'], connections, io);
  if (words.includes('--help') || words.includes('-h')) return showHelp(words, io.out);
  const resolved = resolveCommand(argv);
  const { parseArguments } = await import('./tree/parse.ts');
  const parsed = parseArguments(resolved.declaration, resolved.rest);
  const { openInvocation } = await import('./open-invocation.ts');
  await using opened = await openInvocation(resolved.declaration, parsed, {
    connections,
    io,
    typed,
    words: argv,
  });
  if (opened.fieldsToList !== undefined) {
    for (const field of opened.fieldsToList) io.out.line(field);
    return 0;
  }
  if (resolved.renamed !== undefined)
    io.err.line(`note: "pal ${resolved.renamed.from}" is now "pal ${resolved.renamed.to}"`);
  // Awaited here: the control plane closes when this block ends.
  return await runParsed(opened.invocation, resolved.declaration, parsed);
}

async function runParsed(invocation: Invocation, declaration: Declaration, parsed: Parsed): Promise<number> {
  const { loadCommand } = await import('./commands/load.ts');
  const handler = await loadCommand(declaration.path);
  const isOfBranch = Object.values(parsed.args).some(
    (word) => typeof word === 'string' && /^@(?:$|\/)/.test(word),
  );
  const args = isOfBranch
    ? await (await import('./branch-run.ts')).namingRuns(invocation, declaration, parsed.args)
    : parsed.args;
  return handler(invocation, args, parsed.flags);
}

const typed: Invocation['typed'] = async (words, within) => {
  const { parseArguments } = await import('./tree/parse.ts');
  const { declaration, rest } = resolveCommand(words);
  return runParsed(within, declaration, parseArguments(declaration, rest));
};

async function showHelp(words: readonly string[], out: Sink): Promise<number> {
  const { overview, commandHelp } = await import('./tree/help.ts');
  const rest = words.filter((word) => word !== '--help' && word !== '-h');
  const hasWords = rest.some((word) => !word.startsWith('-'));
  if (!hasWords) {
    out.write(overview());
    return 0;
  }
  const group = rest.find((word) => !word.startsWith('-'));
  if (group !== undefined && findCommand(group) === undefined && rest.length === 1) {
    const { groupHelp } = await import('./tree/help.ts');
    const text = groupHelp(group);
    if (text !== undefined) {
      out.write(text);
      return 0;
    }
  }
  out.write(commandHelp(resolveCommand(rest).declaration));
  return 0;
}

async function report(error: unknown, argv: readonly string[], { out, err }: Io): Promise<number> {
  const { Interrupted } = await import('./interrupt.ts');
  if (error instanceof Interrupted) return 130;
  const { toFailure, failureLines, failureDocument } = await import('./output/error.ts');
  const { painter, wantsColor } = await import('./output/color.ts');
  const { foreignJson } = await import('./output/foreign-text.ts');
  const failure = await toFailure(error, commandOf(argv));
  if (ownWords(argv).some((word) => word === '--json' || word.startsWith('--json='))) {
    out.line(foreignJson(failureDocument(failure)));
  } else {
    err.isPainted = wantsColor(colorChoice(ownWords(argv)), process.env, err.isTty);
    const paint = painter(err.isPainted);
    for (const line of failureLines(failure, { columns: err.columns, glyphs: 'none', paint })) err.line(line);
  }
  const isBug = failure.code === 'internal' && !(error instanceof UsageError);
  if (process.env['PALISADE_DEBUG'] && error instanceof Error)
    for (const line of (error.stack ?? '').split('\n')) err.line(line);
  else if (isBug) err.line('  note  set PALISADE_DEBUG=1 for the stack');
  return failure.exit;
}

/** What is before `--`: the rest is words of somebody else. */
function ownWords(argv: readonly string[]): readonly string[] {
  return argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
}

/** The command that was typed, as far as there is one. */
function commandOf(argv: readonly string[]): string {
  try {
    return resolveCommand(argv).declaration.path;
  } catch {
    return '';
  }
}

/** The colour flag, read without parsing: parsing may be what failed. */
function colorChoice(argv: readonly string[]): 'auto' | 'always' | 'never' {
  const index = argv.indexOf('--color');
  const word = index >= 0 ? argv[index + 1] : argv.find((entry) => entry.startsWith('--color='))?.slice(8);
  return word === 'always' || word === 'never' ? word : 'auto';
}
