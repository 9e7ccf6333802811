import { limits, registerAgent } from '@palisade/contracts';
import type { Input, Invocation } from '../invocation.ts';
import { parseJson, readInput } from '../read-input.ts';
import type { FlagValues } from '../tree/declaration.ts';
import type { agentRegisterCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';

/** `pal agent register NAME`: from a JSON file, or a shell command or a coding agent with a few flags. */
export const execute: Handler<typeof agentRegisterCommand> = async (invocation, args, flags) => {
  const input =
    flags.file === undefined
      ? await fromFlags(invocation, args.name, flags)
      : await fromFile(invocation, args.name, flags.file, flags);
  return printRegistered(
    invocation,
    await invocation.call(registerAgent, { ...input, ...invocation.rehearsed }),
    'agent',
  );
};

async function fromFile(
  invocation: Invocation,
  name: string,
  file: string,
  flags: FlagValues<typeof agentRegisterCommand>,
): Promise<Input<typeof registerAgent>> {
  const others = [
    flags.command,
    flags.harness,
    flags.modelEndpoint,
    flags.promptFile,
    flags.systemFile,
    flags.model,
    flags.verify,
  ];
  if (others.some((value) => value !== undefined) || flags.capability.length > 0)
    throw new UsageError('--file holds the whole definition and excludes the other flags');
  const document = parseJson(await readInput(invocation, file, limits.inputBytes), file, 'invalid_input');
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new UsageError(`${file} must hold one JSON object`);
  // The operation checks the shape; the name on the command line is the one that counts.
  return { ...document, name } as Input<typeof registerAgent>;
}

async function fromFlags(
  invocation: Invocation,
  name: string,
  flags: FlagValues<typeof agentRegisterCommand>,
): Promise<Input<typeof registerAgent>> {
  const run = choiceOf(flags);
  const text = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : (await readInput(invocation, file, limits.inputBytes)).toString('utf8');
  const prompt = await text(flags.promptFile);
  const system = await text(flags.systemFile);
  return {
    name,
    run,
    ...(prompt === undefined ? {} : { prompt_template: prompt }),
    ...(system === undefined ? {} : { system_prompt: system }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.capability.length === 0 ? {} : { capabilities: [...flags.capability] }),
    ...(flags.verify === undefined ? {} : { verify: { command: flags.verify } }),
  };
}

function choiceOf(flags: FlagValues<typeof agentRegisterCommand>): Input<typeof registerAgent>['run'] {
  const { command, harness, modelEndpoint } = flags;
  if ((command === undefined) === (harness === undefined))
    throw new UsageError('an agent needs one of --file, --command and --harness', {
      next: 'pal help agent register',
    });
  if (harness !== undefined)
    return { harness, ...(modelEndpoint === undefined ? {} : { model_endpoint: modelEndpoint }) };
  if (modelEndpoint !== undefined) throw new UsageError('--model-endpoint needs --harness');
  return { harness: 'command', command: command ?? '' };
}
