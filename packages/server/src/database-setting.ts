import { PalisadeError } from '@palisade/contracts';

/**
 * The operator's setting `PALISADE_DATABASE_URL`: a PostgreSQL server in place of the project's own
 * SQLite file. Undefined when it is not set. Anything else, a file's path in whatever spelling above all,
 * is `invalid_input`: it would silently make another database (FF-170). The value is not repeated, it
 * may hold a password.
 */
export function databaseSetting(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const url = env['PALISADE_DATABASE_URL'];
  if (url === undefined || url === '') return undefined;
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new PalisadeError('invalid_input', 'PALISADE_DATABASE_URL must be an address postgres://…', {
    next: 'leave it out for the SQLite file of the project',
  });
}
