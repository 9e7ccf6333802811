import { PalisadeError } from '@palisade/contracts';

/** Names of secrets: like other names, but without `@`, which starts a version in a reference. */
const SECRET_NAME = /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,599}$/;
const REF = /^secret:([^@]*)(?:@([1-9][0-9]{0,14}))?$/;

/** `secret:<name>`: the latest version at the moment of use; `secret:<name>@<version>`: that one for ever. */
export interface SecretRef {
  readonly name: string;
  readonly version?: number;
}

/** Parses a reference; `invalid_input` for anything else, without repeating it: somebody may have put a value there. */
export function parseSecretRef(text: string): SecretRef {
  const [, name = '', version] = REF.exec(text) ?? [];
  if (!SECRET_NAME.test(name))
    throw new PalisadeError(
      'invalid_input',
      'a secret reference is secret:<name> or secret:<name>@<version>',
    );
  return version === undefined ? { name } : { name, version: Number(version) };
}

/** The text of a reference. */
export function formatSecretRef({ name, version }: SecretRef): string {
  return `secret:${name}${version === undefined ? '' : `@${version}`}`;
}

/** Raises `invalid_input` for a name that no reference could carry. */
export function assertSecretName(name: string): void {
  if (!SECRET_NAME.test(name))
    throw new PalisadeError(
      'invalid_input',
      'a secret name is 1 to 600 of letters, digits and . _ : ~ -, starting with a letter or digit',
    );
}
