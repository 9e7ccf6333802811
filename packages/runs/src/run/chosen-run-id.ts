import { DEFAULT_PROJECT, isName, PalisadeError } from '@palisade/contracts';

/** How the id of a run begins that was named in a project. */
const QUALIFIED = /^[a-z][a-z0-9-]{0,62}~/;

/**
 * The id of a run that somebody named. Ids are one for the installation and names a project's own: the name `nightly` is the run
 * `web-shop~nightly` in the project `web-shop`, so that no name tells whether another project uses it (AC-005). In the default
 * project the name is the id. Raises `invalid_input` for a name that would be another project's id, or too long.
 */
export function chosenRunId(project: string, name: string): string {
  const prefix = project === DEFAULT_PROJECT ? '' : `${project}~`;
  const id = name.startsWith(prefix) ? name : `${prefix}${name}`;
  if (QUALIFIED.test(id.slice(prefix.length)))
    throw new PalisadeError(
      'invalid_input',
      `${name} cannot name a run: it looks like the id of another project's`,
      {
        next: 'choose a name without ~',
      },
    );
  if (!isName(id))
    throw new PalisadeError('invalid_input', `${name} is too long for the name of a run`, {
      why: 'the project is part of its id, which has 128 characters at most',
    });
  return id;
}
