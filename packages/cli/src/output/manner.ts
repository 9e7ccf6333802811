/** How progress is shown, chosen once per process (cli.md §2). */
export type Manner = 'live' | 'report' | 'quiet';

export interface MannerFacts {
  readonly quiet: boolean;
  readonly progress: 'live' | 'report' | 'none' | undefined;
  readonly isTty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs in continuous integration or under an agent, as `std-env` tells. */
  readonly isUnattended: boolean;
}

/** True when motion is unwelcome: a screen reader follows (`ACCESSIBLE`). */
export function isAccessible(env: Readonly<Record<string, string | undefined>>): boolean {
  const value = env['ACCESSIBLE'] ?? '';
  return value !== '' && value !== '0' && value !== 'false';
}

/** `live` needs a terminal that can move its cursor; asking for it elsewhere gives `report`. */
export function chooseManner(facts: MannerFacts): Manner {
  if (facts.quiet || facts.progress === 'none') return 'quiet';
  const canMove = facts.isTty && facts.env['TERM'] !== 'dumb';
  if (facts.progress !== undefined) return facts.progress === 'live' && canMove ? 'live' : 'report';
  return canMove && !facts.isUnattended && !isAccessible(facts.env) ? 'live' : 'report';
}
