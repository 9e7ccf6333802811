/** The sixteen colours of the user's own theme, by meaning. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'dim' | 'strong' | 'added' | 'removed' | 'plain';

const CODES: Readonly<Record<Tone, readonly [number, number] | undefined>> = {
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  busy: [36, 39],
  dim: [2, 22],
  strong: [1, 22],
  added: [32, 39],
  removed: [31, 39],
  plain: undefined,
};

/** A sequence that a painter writes, in a group. */
export const PAINTED = new RegExp(
  `(\\u001B\\[(?:${[...new Set(Object.values(CODES).flatMap((code) => code ?? []))].join('|')})m)`,
  'u',
);

/** Paints text when colour is on. Text is already free of controls. */
export type Paint = (tone: Tone, text: string) => string;

export function painter(enabled: boolean): Paint {
  if (!enabled) return (_, text) => text;
  return (tone, text) => {
    const code = CODES[tone];
    return code === undefined || text === '' ? text : `\u001B[${code[0]}m${text}\u001B[${code[1]}m`;
  };
}

/** Whether to paint: flag or setting, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal. */
export function wantsColor(
  choice: 'auto' | 'always' | 'never',
  env: Readonly<Record<string, string | undefined>>,
  isTty: boolean,
): boolean {
  if (choice !== 'auto') return choice === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTty && env['TERM'] !== 'dumb';
}
