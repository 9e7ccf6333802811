/*
 * Installs the real agent programs that the tests drive, unless they are there: `node scripts/agent-programs.ts`.
 * They are about 800 MB and go to `palisade-test-agents` in this user's cache directory.
 */
import { agentProgramsHome, installAgentPrograms } from '../tests/support/agent-programs.ts';

const missing = await installAgentPrograms();
console.log(missing ?? `the agent programs are in ${agentProgramsHome()}`);
if (missing !== null) process.exitCode = 1;
