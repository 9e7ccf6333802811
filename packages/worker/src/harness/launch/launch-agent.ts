import { fileURLToPath } from 'node:url';
import type { ExecSpec } from '@palisade/contracts';

/** The script that starts agents inside a sandbox. */
const LAUNCHER = fileURLToPath(new URL('./agent-launcher.mjs', import.meta.url));

/** The client of the Agent Client Protocol, for agents that speak it. */
export const ACP_CLIENT = fileURLToPath(new URL('./acp-client.mjs', import.meta.url));

/** Stands for the address of the relay inside the sandbox, in the environment and everywhere in a {@link Launch}. */
export const RELAY_ORIGIN = 'http://model-relay.invalid';

/** What the launcher is told. */
export interface Launch {
  /** Program and arguments; no secret, no prompt. */
  readonly program: readonly string[];
  /** Files to write before, by their absolute path in the sandbox; a default gives way to a file that is there. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly isDefault?: boolean }[];
  /** The relay's socket in the sandbox, or null when there is no relay. */
  readonly socket: string | null;
}

/** Host paths a sandbox has to show for the launcher to run: the script and the Node it runs on. */
export const LAUNCHER_PATHS: readonly string[] = [LAUNCHER, process.execPath];

/** The command line and the standard input with which the launcher starts the agent and gives it `stdin`. */
export function launchAgent(launch: Launch, stdin: string): Pick<ExecSpec, 'argv' | 'stdin'> {
  return {
    argv: [process.execPath, LAUNCHER],
    stdin: Buffer.from(`${JSON.stringify(launch)}\n${stdin}`, 'utf8'),
  };
}
