/** A part of the product where a mistake costs more than elsewhere (WM-027). */
export interface Boundary {
  readonly label: string;
  readonly reason: string;
}

/** Whole words of a path, never parts of one (D-05). */
const WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  auth: new Set(
    'auth authentication authorization authorisation login logout oauth oidc saml session sessions password passwords passkey passkeys credential credentials token tokens permission permissions rbac acl identity'.split(
      ' ',
    ),
  ),
  config: new Set('config configs configuration settings env dotenv'.split(' ')),
  db: new Set('db database databases migration migrations schema schemas sql orm prisma'.split(' ')),
  api: new Set(
    'api apis graphql openapi rest rpc grpc proto route routes router endpoint endpoints webhook webhooks'.split(
      ' ',
    ),
  ),
  payments: new Set(
    'payment payments billing invoice invoices stripe checkout subscription subscriptions'.split(' '),
  ),
  jobs: new Set('job jobs worker workers queue queues cron scheduler schedule schedules'.split(' ')),
};

export function boundariesOf(path: string, blastRadius: readonly string[]): readonly Boundary[] {
  return Object.entries(WORDS).flatMap(([label, words]) => {
    const own = wordsOf(path).find((word) => words.has(word));
    if (own !== undefined) return [{ label, reason: `"${own}" in its path` }];
    const near = blastRadius.filter((other) => wordsOf(other).some((word) => words.has(word)));
    // One file in passing says little; several say that the change crosses it.
    return near.length >= 2
      ? [{ label, reason: `${near.length} of the files it may touch, such as ${near[0]}` }]
      : [];
  });
}

function wordsOf(path: string): readonly string[] {
  return path
    .replace(/\.[^./]+$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}
