import { PalisadeError } from '@palisade/contracts';
import { errorState, isConnectionLoss } from './postgres-errors.ts';

const NAMED = 'PALISADE_DATABASE_URL';

/**
 * What an operator can mend, when a database cannot be opened: the address, the account or its rights, in words that name them.
 * Undefined for everything else. What the driver said is not repeated: it can quote values.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function refusedAtOpen(error: unknown, url: string): PalisadeError | undefined {
  const { host, database, user } = placeOf(url);
  const unmet = (message: string, next: string): PalisadeError =>
    new PalisadeError('requirements_unmet', `${message} (${NAMED})`, { cause: error, next });
  if (isConnectionLoss(error))
    return new PalisadeError('database_busy', `the database server ${host} is not reachable (${NAMED})`, {
      cause: error,
      next: 'start it, or correct its address, and repeat the command',
    });
  switch (errorState(error)) {
    case 'ENOTFOUND':
      return unmet(`there is no host ${host} for the database`, 'correct the address');
    case '3D000':
      return unmet(
        `there is no database "${database}" on ${host}`,
        'make it (createdb), or name another one',
      );
    case '28000':
      return unmet(
        `the database server ${host} lets no user "${user}" into "${database}"`,
        'make the user (createuser), or let it in (pg_hba.conf), or name another one',
      );
    case '28P01':
      return unmet(`the password of the user "${user}" of ${host} is not right`, 'correct user or password');
    case '42501':
      return unmet(
        `the user "${user}" may not connect to "${database}" on ${host}, or not make tables there`,
        'let it own the database: ALTER DATABASE … OWNER TO …',
      );
    case '25006':
      return unmet(`the database "${database}" on ${host} can only be read`, 'name the primary server');
    default:
      return needsPassword(error)
        ? unmet(`the database server ${host} asks for a password of "${user}"`, 'give it in the address')
        : undefined;
  }
}

/** The driver gives this no code. */
function needsPassword(error: unknown): boolean {
  return error instanceof Error && /^SASL: .*client password must be/.test(error.message);
}

/** What an address names; never its password. As in libpq, the database is by default called as the user is. */
function placeOf(url: string): { readonly host: string; readonly database: string; readonly user: string } {
  const { host, pathname, username } = new URL(url);
  const user = decoded(username === '' ? (process.env['PGUSER'] ?? process.env['USER'] ?? '') : username);
  const database = decoded(pathname.slice(1));
  return { host, database: database === '' ? (process.env['PGDATABASE'] ?? user) : database, user };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
