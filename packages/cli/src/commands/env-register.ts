import { registerEnvironment, type SecretInput } from '@palisade/contracts';
import { readInput } from '../read-input.ts';
import type { envRegisterCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';
import { secretText } from './secret-put.ts';

const SECRET_BYTES = 65_536;

/** `pal env register NAME`: plain values by flag, secrets by reference, file or standard input, never by flag. */
export const execute: Handler<typeof envRegisterCommand> = async (invocation, args, flags) => {
  const values: Record<string, string> = {};
  const secrets: Record<string, SecretInput> = {};
  const claim = (key: string): string => {
    if (Object.hasOwn(values, key) || Object.hasOwn(secrets, key))
      throw new UsageError(`${key} is given twice`);
    return key;
  };
  for (const word of flags.value) {
    const [key, value] = divide(word, '--value');
    values[claim(key)] = value;
  }
  for (const word of flags.secret) {
    const [key, ref] = divide(word, '--secret');
    if (!/^[a-z][a-z0-9+.-]*:/.test(ref))
      throw new UsageError(`--secret ${key} takes a reference, not a value`, {
        why: 'a value on the command line can be seen by other users',
        next: `pal secret put ${key.toLowerCase()}, then --secret ${key}=secret:${key.toLowerCase()}; or --secret-file ${key}=FILE`,
      });
    secrets[claim(key)] = { ref };
  }
  for (const word of flags.secretFile) {
    const [key, file] = divide(word, '--secret-file');
    secrets[claim(key)] = { inline: secretText(await readInput(invocation, file, SECRET_BYTES)) };
  }
  if (flags.secretStdin !== undefined)
    secrets[claim(flags.secretStdin)] = {
      inline: secretText(await readInput(invocation, '-', SECRET_BYTES)),
    };
  const answer = await invocation.call(registerEnvironment, {
    name: args.name,
    ...invocation.rehearsed,
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
    ...(flags.allowPattern.length === 0 ? {} : { allow_credential_patterns: [...flags.allowPattern] }),
  });
  return printRegistered(invocation, answer, 'env');
};

function divide(word: string, flag: string): [string, string] {
  const at = word.indexOf('=');
  // The word may be a secret somebody typed by mistake: it is not repeated.
  if (at <= 0) throw new UsageError(`${flag} takes KEY=…`);
  return [word.slice(0, at), word.slice(at + 1)];
}
