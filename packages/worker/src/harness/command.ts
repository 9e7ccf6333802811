import type { Harness, HarnessContext, HarnessResult } from '@palisade/contracts';
import { wholePrompt } from '../attempt/prompt.ts';
import { plainScript } from '../script/shell.ts';

/**
 * The generic harness (DI-135): a shell script or a program with arguments is the agent. The prompt
 * comes on standard input, after the system prompt when there is one (DI-132); its summary and usage
 * come from the files of the contract (docs/harness-contract.md).
 */
export const commandHarness: Harness = {
  name: 'command',
  async run(context: HarnessContext): Promise<HarnessResult> {
    const { settings, sandbox, env } = context;
    if (settings.harness !== 'command')
      throw new TypeError('the command harness got the settings of another');
    const prompt = wholePrompt(context.systemPrompt, context.prompt);
    const [program, ...args] =
      typeof settings.command === 'string' ? plainScript(settings.command) : settings.command;
    if (program === undefined) throw new TypeError('the command has no program');
    const result = await sandbox.exec({
      argv: [program, ...args],
      env,
      ...(prompt === null ? {} : { stdin: Buffer.from(prompt, 'utf8') }),
      timeoutMs: context.timeoutMs,
      graceMs: context.graceMs,
      signal: context.signal,
      onOutput: (stream, bytes) => context.emit({ kind: 'output', stream, bytes }),
    });
    return {
      outcome: result.outcome,
      exitCode: result.exitCode,
      ...(result.limit === undefined ? {} : { limit: result.limit }),
      ...(result.detail === undefined
        ? result.signal === null
          ? {}
          : { detail: result.signal }
        : { detail: result.detail }),
    };
  },
};
