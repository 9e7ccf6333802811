import { type Connections, localConnections } from './control-plane.ts';
import type { Invocation } from './invocation.ts';
import type { Declaration } from './tree/declaration.ts';
import type { Parsed } from './tree/parse.ts';
import { findCommand, resolveCommand } from './tree/resolve.ts';
import { UsageError } from './tree/usage-error.ts';
import { Sink } from './output/sink.ts';

/**
 * The `palisade` command. Sets `process.exitCode` and returns when everything is written; it never
 * ends the process itself, so that nothing printed is lost. Exit codes: cli.md §5.
 */
export async function main(
  argv: readonly string[],
  connections: Connections = localConnections,
): Promise<void> {
  const out = new Sink(process.stdout);
  const err = new Sink(process.stderr);
  try {
    process.exitCode = await execute(argv, connections, out, err);
  } catch (error) {
    process.exitCode = await report(error, argv, out, err);
  }
  await Promise.all([out.drained(), err.drained()]);
  // A terminal that was read from keeps the process alive; nothing more is expected of it.
  process.stdin.unref?.();
}

async function execute(
  argv: readonly string[],
  connections: Connections,
  out: Sink,
  err: Sink,
): Promise<number> {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  if (words.includes('--version') || words.includes('-V')) return execute(['version'], connections, out, err);
  if (words.includes('--help') || words.includes('-h')) return showHelp(words, out);
  const resolved = resolveCommand(argv);
  const { parseArguments } = await import('./tree/parse.ts');
  const parsed = parseArguments(resolved.declaration, resolved.rest);
  const { openInvocation } = await import('./open-invocation.ts');
  await using opened = await openInvocation(resolved.declaration, parsed, connections, out, err, typed);
  if (opened.fieldsToList !== undefined) {
    for (const field of opened.fieldsToList) out.line(field);
    return 0;
  }
  if (resolved.renamed !== undefined)
    err.line(`note: "pal ${resolved.renamed.from}" is now "pal ${resolved.renamed.to}"`);
  // Awaited here: the control plane closes when this block ends.
  return await runParsed(opened.invocation, resolved.declaration, parsed);
}

async function runParsed(invocation: Invocation, declaration: Declaration, parsed: Parsed): Promise<number> {
  const { loadCommand } = await import('./commands/load.ts');
  const handler = await loadCommand(declaration.path);
  return handler(invocation, parsed.args, parsed.flags);
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

async function report(error: unknown, argv: readonly string[], out: Sink, err: Sink): Promise<number> {
  const { Interrupted } = await import('./interrupt.ts');
  if (error instanceof Interrupted) return 130;
  const { toFailure, failureLines, failureDocument } = await import('./output/error.ts');
  const { painter, wantsColor } = await import('./output/color.ts');
  const failure = await toFailure(error);
  if (argv.some((word) => word === '--json' || word.startsWith('--json='))) {
    out.line(JSON.stringify(failureDocument(failure)));
  } else {
    const paint = painter(wantsColor(colorChoice(argv), process.env, err.isTty));
    for (const line of failureLines(failure, { columns: err.columns, glyphs: 'none', paint })) err.line(line);
  }
  const isBug = failure.code === 'internal' && !(error instanceof UsageError);
  if (process.env['PALISADE_DEBUG'] && error instanceof Error) err.line(error.stack ?? '');
  else if (isBug) err.line('  note  set PALISADE_DEBUG=1 for the stack');
  return failure.exit;
}

/** The colour flag, read without parsing: parsing may be what failed. */
function colorChoice(argv: readonly string[]): 'auto' | 'always' | 'never' {
  const index = argv.indexOf('--color');
  const word = index >= 0 ? argv[index + 1] : argv.find((entry) => entry.startsWith('--color='))?.slice(8);
  return word === 'always' || word === 'never' ? word : 'auto';
}
