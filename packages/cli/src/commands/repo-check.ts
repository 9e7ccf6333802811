import { CHECK_TIERS, type CheckTier } from '@palisade/contracts';
import { check, type Memory, plannedChecks, typed } from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { foreignBlock, foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { elapsed } from '../output/time.ts';
import type { repoCheckCommand } from '../tree/repo-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { withMemory } from './repo.ts';

const TIMEOUT_MS = 15 * 60_000;
/** Lines that are shown of what a command that failed wrote. */
const SHOWN_LINES = 40;

/** `pal repo check TIER`: exit 1 when a command of it fails. */
export const execute: Handler<typeof repoCheckCommand> = (invocation, { tier: written }, { timeout }) => {
  const tier = CHECK_TIERS.find((each) => each === written);
  if (tier === undefined)
    throw new UsageError(`there is no tier "${written}"`, { next: 'pal repo check fast' });
  return withMemory(invocation, (memory) =>
    invocation.isDryRun
      ? rehearse(invocation, memory, tier)
      : run(invocation, memory, tier, timeout ?? TIMEOUT_MS),
  );
};

async function rehearse(invocation: Invocation, memory: Memory, tier: CheckTier): Promise<number> {
  const commands = (await plannedChecks(memory, tier)).commands.map(typed);
  emit(invocation, {
    json: { tier, commands },
    records: commands.map((command) => ({ command })),
    ids: commands,
    text: () => commands.map((command) => `would run  ${foreignLine(command)}`),
  });
  return 0;
}

async function run(
  invocation: Invocation,
  memory: Memory,
  tier: CheckTier,
  timeoutMs: number,
): Promise<number> {
  const { err, settings } = invocation;
  const answer = await check(memory, tier, {
    timeoutMs,
    signal: invocation.interrupted,
    onStart: (command) => {
      if (!settings.isQuiet) err.line(`running  ${foreignLine(command)}`);
    },
  });
  emit(invocation, {
    json: answer,
    records: answer.runs,
    ids: [],
    text: () => [
      ...answer.runs.flatMap((each) => [
        `${each.outcome.replaceAll('_', ' ')}  ${elapsed(each.duration_ms)}  ${foreignLine(each.command)}`,
        ...(each.outcome === 'passed'
          ? []
          : foreignBlock(each.output.trimEnd())
              .split('\n')
              .slice(-SHOWN_LINES)
              .map((line) => `    ${line}`)),
      ]),
      `${answer.outcome}  ${tier}  ${elapsed(answer.duration_ms)}`,
    ],
  });
  return answer.outcome === 'passed' ? 0 : 1;
}
