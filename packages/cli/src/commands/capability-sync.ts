import { type SkillConvention, readSkills, SKILL_DIRECTORIES } from '../conventions/skills.ts';
import type { capabilitySyncCommand } from '../tree/deploy-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import type { Handler } from './handler.ts';
import { printSync, rebindAgents, rebindLines, staleAgents, synchronize } from './sync.ts';

/** `pal capability sync [DIR]`: the skills of a directory, and on request the agents that use them (DI-044, DI-051). */
export const execute: Handler<typeof capabilitySyncCommand> = async (invocation, args, flags) => {
  const convention: SkillConvention = flags.convention ?? 'claude-code';
  const root = userPath(invocation.directory, args.directory ?? '.');
  const { capabilities, warnings } = readSkills(root, convention);
  if (capabilities.length === 0)
    throw new UsageError(`there are no skills under ${SKILL_DIRECTORIES[convention]}`, {
      next: 'pal capability sync DIR --convention claude-code|codex',
    });
  const answer = await synchronize(invocation, {
    owner: `sync:${convention}:skills`,
    entries: capabilities.map((input) => ({ kind: 'capability', input })),
    warnings,
    adopts: flags.adopt,
  });
  const stale = answer.complete ? await staleAgents(invocation) : [];
  const code = printSync(invocation, { ...answer, stale });
  if (code !== 0 || stale.length === 0) return code;
  if (!flags.rebind) {
    invocation.hint('pal agent rebind --all', 'pal agent stale');
    return code;
  }
  for (const line of rebindLines(invocation, await rebindAgents(invocation, stale)))
    invocation.err.line(line);
  return code;
};
