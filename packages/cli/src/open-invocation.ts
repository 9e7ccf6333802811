import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { userName } from '@palisade/process/user-name';
import { Config } from './config/config.ts';
import type { Connections, ControlPlane } from './control-plane.ts';
import { watchInterrupts } from './interrupt.ts';
import type { Format, Invocation, Io, Settings } from './invocation.ts';
import { painter, wantsColor } from './output/color.ts';
import { foreignLine } from './output/foreign-text.ts';
import { chooseManner, isAccessible } from './output/manner.ts';
import type { Sink } from './output/sink.ts';
import { busyTeller, patientCall } from './patient-call.ts';
import { findWorkingTree, nearestProject } from './project.ts';
import type { Declaration } from './tree/declaration.ts';
import type { GlobalValues, Parsed } from './tree/parse.ts';
import { UsageError } from './tree/usage-error.ts';
import { userPath } from './user-path.ts';

export interface OpenedInvocation extends AsyncDisposable {
  readonly invocation: Invocation;
  /** Set for `--json=?`: the command must not run, only name its fields. */
  readonly fieldsToList: readonly string[] | undefined;
}

/** Decides everything that is decided once and connects nothing yet. Disposing closes the control plane. */
export async function openInvocation(
  declaration: Declaration,
  parsed: Parsed,
  surroundings: {
    readonly connections: Connections;
    readonly io: Io;
    readonly typed: Invocation['typed'];
    /** The command line as typed. */
    readonly words: readonly string[];
  },
): Promise<OpenedInvocation> {
  const { io, typed, words } = surroundings;
  const { err } = io;
  const { globals } = parsed;
  const env = process.env;
  const directory = userPath(process.cwd(), globals.directory ?? '.');
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`there is no directory ${directory}`);
  if (globals.json !== undefined && globals.format !== undefined)
    throw new UsageError(`--json and --format ${globals.format} exclude each other`, {
      next: 'give one of them',
    });
  const config = await Config.load(directory, env, configFlags(globals, parsed.flags));
  const sayBusy = busyTeller((line) => err.line(line));
  const connections: Connections = {
    ...surroundings.connections,
    openControlPlane: async (options) => {
      if (config.get('server') === undefined)
        return surroundings.connections
          .openControlPlane({
            ...options,
            environment: config.forControlPlane(),
            policyOrigin: config.originOf('policy'),
          })
          .catch(async (error: unknown) => {
            const { namingKnownServer } = await import('./server/set-server.ts');
            throw namingKnownServer(error, config, env);
          });
      const { openServer } = await import('./server/open-server.ts');
      return openServer(config, findWorkingTree(directory) ?? directory, env, sayBusy);
    },
  };
  const project = config.get('project');
  const settings = await decideSettings(globals, config, io);
  const fields = await checkFields(declaration.path, globals.json);
  const interrupts = watchInterrupts();
  let plane: Promise<ControlPlane> | undefined;

  const call: Invocation['call'] = async (operation, input, context) => {
    const open = await invocation.controlPlane();
    // Nothing new is begun for somebody who has left.
    if (operation.effect !== 'read') interrupts.signal.throwIfAborted();
    const full = {
      actor: invocation.actor,
      ...(project === undefined ? {} : { project }),
      ...(operation.effect === 'read' ? {} : { idempotencyKey: invocation.idempotencyKey }),
      ...context,
    };
    try {
      return await patientCall(open, operation, input, full, interrupts.signal, sayBusy);
    } catch (error) {
      if (operation.effect === 'read') throw error;
      throw await withWayToFindOut(error, words, invocation.idempotencyKey);
    }
  };
  const invocation: Invocation = {
    ...io,
    env,
    directory,
    settings: { ...settings, fields: fields.picked },
    config,
    actor: config.get('actor') ?? `human:${userName()}`,
    idempotencyKey: parsed.idempotencyKey ?? randomUUID(),
    isKeyGiven: parsed.idempotencyKey !== undefined,
    isDryRun: parsed.isDryRun,
    rehearsed: parsed.isDryRun ? { dry_run: true } : {},
    connections,
    interrupted: interrupts.signal,
    controlPlane: () =>
      (plane ??= openedPlane(connections, nearestProject(directory), (line) => err.line(line))),
    call,
    typed,
    hint: (...commands) => {
      if (settings.isQuiet || settings.format !== 'text') return;
      for (const command of commands.slice(0, 2)) err.line(`next: ${foreignLine(command)}`);
    },
  };
  return {
    invocation,
    fieldsToList: fields.listed,
    async [Symbol.asyncDispose]() {
      interrupts.stop();
      const open = await plane?.catch(() => undefined);
      await open?.close();
    },
  };
}

/**
 * A mutation whose answer was lost may have been done. Asking again under its key tells which, and never
 * does it twice.
 */
async function withWayToFindOut(error: unknown, words: readonly string[], key: string): Promise<unknown> {
  const { isPalisadeError, PalisadeError } = await import('@palisade/contracts');
  if (!isPalisadeError(error) || error.facts.exit !== 7 || error.next !== undefined) return error;
  const { shellWords } = await import('@palisade/contracts/shell-words');
  const again = words.includes('--idempotency-key') ? words : [...words, '--idempotency-key', key];
  return new PalisadeError(error.code, error.message, {
    why: error.why ?? 'it may have been done; the same key tells, and never does it twice',
    next: `pal ${shellWords(again)}`,
    cause: error,
  });
}

async function openedPlane(
  connections: Connections,
  directory: string,
  say: (line: string) => void,
): Promise<ControlPlane> {
  const plane = await connections.openControlPlane({ directory });
  if (plane.isReadOnly) say('warning: the disk is full: this is what is stored, and nothing can be changed');
  return plane;
}

function configFlags(
  globals: GlobalValues,
  flags: Readonly<Record<string, unknown>>,
): Record<string, string | undefined> {
  const on = (value: unknown): string | undefined => (value === true ? 'true' : undefined);
  return {
    actor: globals.actor,
    ascii: on(globals.ascii),
    color: globals.color,
    format: globals.json === undefined ? globals.format : 'json',
    progress: globals.progress,
    project: globals.project,
    session: globals.session,
    state_dir: globals.stateDir,
    utc: on(globals.utc),
    sandbox: typeof flags['sandbox'] === 'string' ? flags['sandbox'] : undefined,
    allow_network: on(flags['allowNetwork']),
    require_isolation: on(flags['requireIsolation']),
  };
}

async function decideSettings(
  globals: GlobalValues,
  config: Config,
  { stdin, out, err }: Io,
): Promise<Omit<Settings, 'fields'>> {
  const env = process.env;
  const { detectAgent, detectProvider } = await import('std-env');
  const accessible = isAccessible(env);
  const progress = config.get('progress');
  const isCI = (env['CI'] ?? '') !== '' || detectProvider().ci !== false;
  const isUnattended = isCI || detectAgent().name !== undefined;
  const manner = chooseManner({
    quiet: globals.quiet,
    progress: progress === 'live' || progress === 'report' || progress === 'none' ? progress : undefined,
    isTty: out.isTty,
    env,
    isUnattended,
  });
  const choice = config.get('color');
  const color = choice === 'always' || choice === 'never' ? choice : 'auto';
  const style = (sink: Sink) => {
    sink.isPainted = wantsColor(color, env, sink.isTty);
    return {
      columns: sink.columns,
      glyphs:
        !sink.isTty || accessible
          ? ('none' as const)
          : config.isOn('ascii')
            ? ('ascii' as const)
            : ('unicode' as const),
      paint: painter(sink.isPainted),
    };
  };
  return {
    format: (config.get('format') ?? 'text') as Format,
    manner,
    isAccessible: accessible,
    isInput: globals.input,
    mayAsk: globals.input && stdin.isTTY && err.isTty && !isUnattended && !globals.quiet,
    isVerbose: globals.verbose,
    isQuiet: globals.quiet,
    times: config.isOn('utc') || !out.isTty ? 'utc' : 'local',
    style: style(out),
    errorStyle: style(err),
  };
}

/** Checks `--json=…` before anything runs, so that a mistyped field never costs a mutation. */
async function checkFields(
  path: string,
  json: string | undefined,
): Promise<{ picked: readonly string[] | undefined; listed: readonly string[] | undefined }> {
  if (json === undefined || json === '*') return { picked: undefined, listed: undefined };
  const { fieldsOf, assertFields } = await import('./output/fields.ts');
  const known = await fieldsOf(path);
  if (json === '?') return { picked: undefined, listed: known };
  const picked = json.split(',').filter((field) => field !== '');
  assertFields(path, picked, known);
  return { picked, listed: undefined };
}
