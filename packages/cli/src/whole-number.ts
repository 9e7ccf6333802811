import { UsageError } from './tree/usage-error.ts';

/** A whole number that may be negative, as the value of a flag. */
export function wholeNumber(word: string, flag: string): number {
  if (!/^-?\d{1,15}$/.test(word)) throw new UsageError(`${flag} "${word}" is no whole number`);
  return Number(word);
}
