import {
  type Authorization,
  canonicalJson,
  type CheckName,
  contentHash,
  type EvidenceBundle,
  isPalisadeError,
  type Manifest,
  type ProductFacts,
  type TrustRoot,
  type VerificationReport,
} from '@palisade/contracts';
import { bundleBytes, parseTrustRoot, trustRootFrom, verifyBundleBytes } from '../src/index.ts';
import { attestedCases, attestedRoots } from './attested-vectors.ts';
import { copyOf, forged, rechain } from './forge.ts';
import { messagedBundles } from './messages.ts';
import {
  OPS_KEY,
  ORIGIN,
  patchInput,
  productOf,
  sampleStory,
  SANDBOX,
  START,
  Story,
  TestLog,
  testSigner,
  TRUST_ROOT,
} from './story.ts';

/** What a verifier must find for one pair of files. */
export interface Vector {
  readonly name: string;
  /** What was done to the bundle. */
  readonly about: string;
  readonly bundle: string;
  /** File of the trust root, or null to verify without one. */
  readonly trust_root: string | null;
  readonly expect: Expectation;
}

/** A verdict with the state of every row, or the code of the error that refuses the bytes. */
export type Expectation =
  | {
      readonly intact: boolean;
      readonly failure: CheckName | null;
      readonly claim: VerificationReport['claim'];
      readonly guarantee: VerificationReport['guarantee'];
      readonly time_tier: VerificationReport['time_tier'];
      readonly authz_tier: VerificationReport['authz_tier'];
      readonly checks: Readonly<Record<string, boolean | 'n/a'>>;
    }
  | { readonly error: string };

interface Case {
  readonly name: string;
  readonly about: string;
  readonly bytes: Buffer;
  readonly root?: string | null;
}

const DAY = 86_400_000;

const ALLOWED: Authorization = {
  verdict: 'allow',
  principal: 'human:ann',
  policy_ref: contentHash('policy'),
  effect: 'unknown',
  reason: 'no rule of the policy denies it',
  at: START,
};

/** Every file of the golden vectors by name. Keys, times and contents are fixed, so the bytes always are. */
export async function vectorFiles(): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const [name, root] of Object.entries({ ...trustRoots(), ...attestedRoots() }))
    files.set(name, Buffer.from(`${JSON.stringify(root, null, 2)}\n`));
  const attested = (await attestedCases()).map(({ bundle, ...rest }) => ({
    ...rest,
    bytes: bundleBytes(bundle),
  }));
  const vectors: Vector[] = [];
  const messaged = (await messagedBundles()).map(
    ([name, about, bundle]): Case => ({ name, about, bytes: bundleBytes(bundle) }),
  );
  for (const { name, about, bytes, root = 'trust-root.json' } of [
    ...(await cases()),
    ...attested,
    ...messaged,
  ]) {
    files.set(`${name}.json`, bytes);
    const expected = judge(bytes, root === null ? null : (files.get(root) ?? null));
    vectors.push({ name, about, bundle: `${name}.json`, trust_root: root, expect: expected });
  }
  files.set('index.json', Buffer.from(`${JSON.stringify({ vectors }, null, 2)}\n`));
  return files;
}

/** Verifies bytes by the bytes of a trust root and puts the outcome in the vectors' words. */
export function judge(bytes: Buffer, root: Buffer | null): Expectation {
  try {
    const report = verifyBundleBytes(bytes, root === null ? null : parseTrustRoot(root));
    return {
      intact: report.intact,
      failure: report.failure ?? null,
      claim: report.claim,
      guarantee: report.guarantee,
      time_tier: report.time_tier,
      authz_tier: report.authz_tier,
      checks: Object.fromEntries(report.checks.map((check) => [check.name, check.ok])),
    };
  } catch (error) {
    if (isPalisadeError(error)) return { error: error.code };
    throw error;
  }
}

function trustRoots(): Record<string, TrustRoot> {
  return {
    'trust-root.json': TRUST_ROOT,
    'trust-root-revoked.json': trustRootFrom(ORIGIN, [
      { ...OPS_KEY, notBefore: START - DAY, revokedAt: START + DAY },
    ]),
    'trust-root-rotated.json': trustRootFrom(ORIGIN, [
      { ...OPS_KEY, notBefore: START - DAY, notAfter: START + 100 * DAY },
      { ...testSigner(2, 'ops-2027'), notBefore: START + 100 * DAY },
    ]),
  };
}

async function cases(): Promise<Case[]> {
  const awkward = await new TestLog().seal(awkwardStory());
  const log = new TestLog();
  const single = await log.seal(
    new Story('run-single')
      .submit(1)
      .fire('a')
      .reconcile('a', 'done', 1, productOf('a'))
      .complete('completed', { done: 1 }),
  );
  const good = await log.seal(sampleStory());
  const other = await log.seal(sampleStory('run-b'));
  const dropped = await log.sealFalsely(
    sampleStory('run-dropped'),
    ({ predicate }) => void (predicate.completeness.dropped = 3),
  );
  const late = await log.seal(tooLate());
  // The installation itself sealed these: nothing but what they say of themselves can find them out.
  const one = (runId: string, change?: Partial<Manifest>) =>
    new Story(runId).submit(1).fire('a', 1, [], change).start('a');
  const falseStatus = await log.seal(
    one('run-false').reconcile('a', 'failed').complete('completed', { failed: 1 }),
  );
  const done = (story: Story) => log.seal(story.complete('completed', { done: 1 }));
  const otherActor = await done(one('run-actor', { actor: 'human:eve' }).reconcile('a', 'done'));
  const otherSandbox = await done(
    one('run-sandbox', { sandbox: { ...SANDBOX, provider: 'vault' } }).reconcile('a', 'done'),
  );
  const noBoundary = await done(one('run-open').reconcile('a', 'done', 1, {}, ['unsandboxed-host']));
  const grown = await log.seal(grownStory('run-grown', false));
  const grownLate = await log.seal(grownStory('run-grown-late', true));
  const rotatedAway = await log.seal(sampleStory('run-forged', START + 200 * DAY));
  const foreign = await new TestLog(testSigner(9, 'ops-2026')).seal(sampleStory());
  const authorised = await log.seal(authorisedStory('run-authz'));
  const unapproved = await log.seal(authorisedStory('run-authz-early', { isEarly: true }));
  const falseDenial = await log.seal(authorisedStory('run-authz-denial', { verdict: 'allow' }));
  const authz = (runId: string, authorization: Partial<Authorization>) =>
    done(one(runId, { authorization: { ...ALLOWED, ...authorization } }).reconcile('a', 'done'));
  const wasDenied = await authz('run-authz-denied', { verdict: 'deny' });
  const writes = { verdict: 'not-evaluated', effect: 'write-impure' } as const;
  const shape = { id: 'dev.code-edit', effect: 'write-impure' } as const;
  const ungated = await done(
    one('run-authz-writes', { shape, authorization: { ...ALLOWED, ...writes } }).reconcile('a', 'done'),
  );
  const lateDecision = await authz('run-authz-late', { at: START + DAY });
  const otherEffect = await authz('run-authz-effect', { effect: 'pure' });
  const fourEyes = await log.seal(addedStory('run-four-eyes', 'human:cid'));
  const ownEyes = await log.seal(addedStory('run-four-eyes-own', 'human:bob'));
  const addedBefore = await log.seal(addedWrite('run-authz-added', false));
  const addedAfter = await log.seal(addedWrite('run-authz-added-late', true));
  const rechained = (bundle: EvidenceBundle) =>
    forged(bundle, (b) => void (b.entries = copyOf(rechain(bundle.run_id, bundle.entries))));
  const undecided = await done(one('run-authz-dropped', { shape }).reconcile('a', 'done'));
  const text = canonicalJson(good);
  const made = (name: string, about: string, bundle: EvidenceBundle, root?: string | null): Case => ({
    name,
    about,
    bytes: bundleBytes(bundle),
    ...(root === undefined ? {} : { root }),
  });
  return [
    made('intact-single', 'a run of one item, first leaf of its log', single),
    made('intact', 'a run with a retry, hand-offs, a failure and a skip', good),
    made('intact-awkward', 'numbers, names and separators on which canonical forms disagree', awkward),
    made('intact-grown', 'a red gate was repeated, and somebody added an item from outside', grown),
    made('intact-authz', 'allowed, approved and denied, each on record', authorised),
    made('authz-denied', 'sealed after an attempt that was denied was fired', wasDenied),
    made('authz-late', 'sealed after an attempt was fired before anybody decided about it', lateDecision),
    made('authz-effect', 'sealed with a decision about another effect than its shape has', otherEffect),
    made('authz-writes', 'sealed after something that writes was fired without a yes', ungated),
    made('authz-dropped', 'sealed without the decision about something that writes', undecided),
    made('authz-approval', 'sealed after it was fired by an approval that came later', unapproved),
    made('intact-authz-added', 'somebody added what writes, and it was approved after that', addedBefore),
    made('authz-added', 'sealed after it was fired by an approval that was older than the item', addedAfter),
    made('authz-denial', 'sealed with a denial by somebody who allowed it', falseDenial),
    made('intact-four-eyes', 'approved by somebody who neither started the run nor added to it', fourEyes),
    made('four-eyes-extended', 'sealed after it was approved by somebody who added to the run', ownEyes),
    made('grown-after-close', 'sealed after an item was added to a run that was closed', grownLate),
    made('intact-no-trust-root', 'nobody to check signatures by', good, null),
    made('intact-rotated', 'the key was rotated after the seal', good, 'trust-root-rotated.json'),
    made('key-revoked', 'the key was revoked, the time is only asserted', good, 'trust-root-revoked.json'),
    made(
      'key-expired',
      'sealed with a key after the end of its period',
      rotatedAway,
      'trust-root-rotated.json',
    ),
    made('forged-log', 'sealed and logged by a stranger under the name of the key', foreign),
    made(
      'entry-changed',
      'one entry says something else',
      forged(good, (b) => void Object.assign(b.entries[5] ?? {}, { at: START })),
    ),
    made(
      'entry-removed',
      'one entry is gone and the chain recomputed',
      rechained(forged(good, (b) => void b.entries.splice(2, 1))),
    ),
    made(
      'ledger-cut',
      'the last entries are gone',
      forged(good, (b) => void b.entries.splice(-2)),
    ),
    made(
      'event-unknown',
      'an event type of another version, chain recomputed',
      rechained(forged(good, (b) => void Object.assign(b.entries[2] ?? {}, { type: 'item.paused' }))),
    ),
    made('events-dropped', 'the seal admits lost events', dropped),
    made(
      'manifest-missing',
      "the first attempt's manifest of a retried item is gone",
      forged(good, (b) => void b.manifests.splice(1, 1)),
    ),
    made(
      'manifest-changed',
      'a manifest names another actor',
      forged(good, (b) => void Object.assign(b.manifests[0] ?? {}, { actor: 'human:eve' })),
    ),
    made(
      'items-false',
      'the items listed say other than the ledger',
      forged(good, (b) => void Object.assign(b.items[0] ?? {}, { status: 'failed' })),
    ),
    made('status-false', 'sealed as completed although its item failed', falseStatus),
    made('manifest-actor', 'sealed with a manifest for somebody who did not submit it', otherActor),
    made('manifest-sandbox', 'sealed after it ran in another sandbox than authorised', otherSandbox),
    made('manifest-boundary', 'sealed after it ran without the boundary it was authorised with', noBoundary),
    made('handoff-order', 'an input was used before it was produced', late),
    made('seal-replayed', "another run's seal and proof", { ...good, seal: other.seal, log: other.log }),
    made(
      'signature-flipped',
      'one bit of the signature',
      forged(good, (b) => {
        const sig = b.seal.signatures[0];
        if (sig !== undefined) sig.sig = flipFirstBit(sig.sig);
      }),
    ),
    made(
      'proof-flipped',
      'one bit of the inclusion proof',
      forged(good, (b) => void (b.log.proof[0] = flipFirstBit(b.log.proof[0] ?? ''))),
    ),
    { name: 'reformatted', about: 'pretty-printed', bytes: Buffer.from(JSON.stringify(good, null, 2)) },
    {
      name: 'member-repeated',
      about: 'a member twice',
      bytes: Buffer.from(text.replace('"format":', '"format":"x","format":')),
    },
  ];
}

/** Values whose canonical form is easily got wrong: exponents, big numbers, astral names, line separators (FF-141). */
function awkwardStory(): Story {
  const story = new Story('run-awkward').submit(5);
  for (const [i, cost] of [1e-7, 2 ** 60, 1e21, 0.000001, 5e-324].entries())
    story
      .fire(`i${i}`)
      .reconcile(`i${i}`, 'done', 1, { summary: 'a\u2028b\u2029c "\\/\u007f€', usage: { cost_usd: cost } });
  return story.complete('completed', { done: 5, '🦔': 0, '\ufb33': 0, é: 0, '10': 0, '9': 0 });
}

/** A run that grew: because its gate was red, and from outside, in time or after it was closed. */
function grownStory(runId: string, isLate: boolean): Story {
  const red: ProductFacts = { verify: { passed: false, report: 'two failed', duration_ms: 5 } };
  const story = new Story(runId).submit(1, { open_ended: true });
  const close = () => story.tell('run.closed', { actor: 'human:ann' });
  story.fire('gate').start('gate').reconcile('gate', 'done', 1, red);
  const part = { actor: 'human:ann', part_ref: contentHash('part') };
  story.tell('run.extended', { ...part, cause: 'gate', items: ['fix', 'gate-2'] });
  story.fire('fix').reconcile('fix', 'done', 1, productOf('fix'));
  story.fire('gate-2').reconcile('gate-2', 'done', 1, { verify: { passed: true, duration_ms: 5 } });
  story.tell('item.settled', { item: 'gate', by: 'gate-2' });
  if (isLate) close();
  story.tell('run.extended', { ...part, items: ['more'] });
  if (!isLate) close();
  return story.fire('more').reconcile('more', 'done').complete('completed', { done: 4 });
}

/** A run of which one item is allowed, one rests on an approval, which may come too late, and one is denied. */
function authorisedStory(
  runId: string,
  { isEarly = false, verdict = 'deny' }: { isEarly?: boolean; verdict?: Authorization['verdict'] } = {},
): Story {
  const story = new Story(runId).submit(4);
  const allowed = { ...ALLOWED, on_behalf_of: 'human:zoë', effect: 'pure' } as const;
  story
    .fire('read', 1, [], { shape: { id: 'data.split', effect: 'pure' }, authorization: allowed })
    .start('read')
    .reconcile('read', 'done');
  if (isEarly) write(story);
  story.approve('gate', 'human:bob');
  if (!isEarly) write(story);
  return story
    .reconcile('write', 'done', 1, productOf('write'))
    .tell('item.denied', {
      item: 'push',
      reason: 'rule no-push of the policy denies it',
      authorization: {
        verdict,
        principal: 'human:ann',
        policy_ref: contentHash('policy'),
        effect: 'unknown',
        at: START,
      },
    })
    .complete('failed', { done: 3, denied: 1 });
}

/** A run to which something that writes is added, behind an approval that is decided then or is not. */
function addedWrite(runId: string, isLate: boolean): Story {
  const story = new Story(runId).submit(1, { open_ended: true });
  const part = { actor: 'human:cid', part_ref: contentHash('part'), items: ['write'] };
  if (!isLate) story.tell('run.extended', part);
  story.approve('gate', 'human:bob');
  if (isLate) story.tell('run.extended', part);
  return write(story)
    .reconcile('write', 'done', 1, productOf('write'))
    .tell('run.closed', { actor: 'human:ann' })
    .complete('completed', { done: 2 });
}

/** Fires what writes, by the approval of `gate`. */
function write(story: Story): Story {
  const authorization: Authorization = {
    verdict: 'not-evaluated',
    principal: 'human:ann',
    effect: 'write-impure',
    at: START,
    approved_by: 'gate',
  };
  return story
    .fire('write', 1, [], { shape: { id: 'dev.code-edit', effect: 'write-impure' }, authorization })
    .start('write');
}

/** A run to which one person adds what another, or the same one, approved. */
function addedStory(runId: string, approver: string): Story {
  const added = { actor: 'human:bob', part_ref: contentHash('part'), items: ['more'] };
  return new Story(runId)
    .submit(1, { open_ended: true })
    .approve('gate', approver)
    .tell('run.extended', added)
    .fire('more')
    .reconcile('more', 'done')
    .tell('run.closed', { actor: 'human:ann' })
    .complete('completed', { done: 2 });
}

function tooLate(): Story {
  return new Story('run-late')
    .submit(2)
    .fire('b', 1, [patchInput('base', 'a')])
    .fire('a')
    .reconcile('a', 'done', 1, productOf('a'))
    .reconcile('b', 'done')
    .complete('completed', { done: 2 });
}

function flipFirstBit(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 0x80;
  return bytes.toString('base64');
}
