import { basename } from 'node:path';
import {
  type AcpChoice,
  type Harness,
  type HarnessContext,
  type HarnessNeeds,
  type HarnessRequest,
  type HarnessResult,
  modelLevel,
} from '@palisade/contracts';
import { wholePrompt } from '../attempt/prompt.ts';
import { AcpReader } from './acp-reader.ts';
import { type AgentProgram, findAgentProgram } from './launch/find-program.ts';
import { ACP_CLIENT, LAUNCHER_PATHS, RELAY_ORIGIN } from './launch/launch-agent.ts';
import { assertPrompted, notStarted, runCodingAgent } from './run-coding-agent.ts';

/** What may stand in an argument or a variable for a part of the way to the model. */
const STAND_IN = /\{\{(model|model_url|model_key)\}\}/g;

/**
 * Any agent that speaks the Agent Client Protocol on its standard streams. It is its operator who says how the
 * program is started and by which variables it learns where its model is; which of its own and of the
 * repository's settings count is the program's to decide, in a home of the attempt's own.
 */
export const acpHarness: Harness = {
  name: 'acp',

  async prepare({ settings, path, hasPrompt }: HarnessRequest): Promise<HarnessNeeds> {
    assertPrompted(hasPrompt);
    return { readOnlyPaths: [...programOf(chosen(settings), path).paths, ...LAUNCHER_PATHS, ACP_CLIENT] };
  },

  async run(context: HarnessContext): Promise<HarnessResult> {
    const settings = chosen(context.settings);
    const model = modelOf(context);
    const filled = fillIn(settings, context, model);
    if (typeof filled === 'string') return notStarted(filled);
    const env = { ...context.env, ...filled.env };
    const program = programOf(settings, env['PATH'] ?? '');
    const told = {
      prompt: wholePrompt(context.systemPrompt, context.prompt) ?? '',
      permission: settings.permission ?? 'bypass',
      mode: settings.mode,
    };
    return runCodingAgent(context, {
      program: { argv: [process.execPath, ACP_CLIENT], paths: program.paths },
      args: [...program.argv, ...filled.args],
      env,
      files: [],
      stdin: JSON.stringify(told),
      reader: new AcpReader(context.emit, model),
    });
  },
};

function chosen(settings: HarnessContext['settings']): AcpChoice {
  if (settings.harness !== 'acp') throw new TypeError('the acp harness got the settings of another');
  return settings;
}

function programOf({ program }: AcpChoice, path: string): AgentProgram {
  const name = basename(program);
  return findAgentProgram({ name, program, path, install: `npm install -g ${name}` });
}

/** The vendor's name of the model; a level that the endpoint gives no meaning is none. */
function modelOf({ model, modelAccess }: HarnessContext): string | null {
  const level = model === null ? null : modelLevel(model);
  return level === null ? model : (modelAccess?.models[level] ?? null);
}

/** Arguments and variables with what stands in them for the model, or why something is missing. */
function fillIn(
  { args = [], model_env: wanted = {} }: AcpChoice,
  { modelAccess, model: asked }: HarnessContext,
  model: string | null,
): { readonly args: string[]; readonly env: Record<string, string> } | string {
  const values: Readonly<Record<string, string | null>> = {
    model,
    model_url: modelAccess === null ? null : RELAY_ORIGIN,
    model_key: modelAccess?.placeholder ?? null,
  };
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replaceAll(STAND_IN, (_whole, part: string) => {
      const value = values[part] ?? null;
      if (value === null) missing.add(part);
      return value ?? '';
    });
  const filled = {
    args: args.map(fill),
    env: Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, fill(text)])),
  };
  if (missing.has('model_url') || missing.has('model_key'))
    return 'it is started with the way to a model: give the agent a model_endpoint';
  if (!missing.has('model')) return filled;
  return asked === null
    ? 'it is started with the name of a model and none was asked for: give the item or its agent a model'
    : `the model endpoint does not say what the level ${asked} means: palisade model-endpoint set NAME --model ${asked}=MODEL`;
}
