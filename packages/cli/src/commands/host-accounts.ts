import type { PrincipalView } from '@palisade/contracts';
import type { HostAccounts } from '../control-plane.ts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { nearestProject } from '../project.ts';
import { askSecret } from '../prompt.ts';
import { readInput } from '../read-input.ts';
import { initAdminCommand, type recoverOperatorPasswordCommand } from '../tree/server-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { secretText } from './secret-put.ts';

const PASSWORD_BYTES = 4_096;

/** `pal init-admin` (AO-175). */
export const initAdmin: Handler<typeof initAdminCommand> = async (invocation, _args, flags) => {
  const name = given(flags.username, '--username NAME');
  const password = await passwordOf(invocation, flags.passwordStdin);
  const made = await onHost(invocation, (accounts) => accounts.initAdmin({ name, password }));
  show(invocation, made, 'is the first administrator');
  invocation.hint('sign in with a browser where it is served (pal serve, unless it is already)');
  return 0;
};

/** `pal recover-operator-password` (AO-177). */
export const recoverPassword: Handler<typeof recoverOperatorPasswordCommand> = async (
  invocation,
  _args,
  flags,
) => {
  const name = given(flags.username, '--username NAME');
  const reason = given(flags.reason, '--reason TEXT');
  const password = await passwordOf(invocation, flags.passwordStdin);
  const recovered = await onHost(invocation, (accounts) =>
    accounts.recoverPassword({ name, password, reason }),
  );
  show(invocation, recovered, 'has the new password, and is signed out everywhere');
  return 0;
};

/** Whatever server is configured: these are not for it. */
async function onHost<T>(invocation: Invocation, use: (accounts: HostAccounts) => Promise<T>): Promise<T> {
  const { connections, directory } = invocation;
  if (connections.openHostAccounts === undefined) throw new UsageError('there are no accounts here');
  const accounts = await connections.openHostAccounts({ directory: nearestProject(directory) });
  try {
    return await use(accounts);
  } finally {
    await accounts.close();
  }
}

/** Never from the command line, which every program of this machine can read. */
async function passwordOf(invocation: Invocation, isGiven: boolean): Promise<string> {
  if (isGiven) return secretText(await readInput(invocation, '-', PASSWORD_BYTES));
  const { password, again } = initAdminCommand.asks;
  const first = await askSecret(invocation, password);
  if ((await askSecret(invocation, again)) === first) return first;
  throw new UsageError('the two passwords are not the same');
}

/** The value of a flag that the command cannot do without. */
export function given(value: string | undefined, flag: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`this needs ${flag}`, { next: `give ${flag}` });
}

function show(invocation: Invocation, person: PrincipalView, what: string): void {
  emit(invocation, {
    json: person,
    records: [person],
    ids: [person.id],
    text: () => [`ok       ${person.name}  ${what}  ${person.id}`],
  });
}
