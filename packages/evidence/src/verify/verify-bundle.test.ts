import type { EventData, EvidenceBundle, Isolation, Manifest, ProductFacts } from '@palisade/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyOf, forged, rechain } from '../../test/forge.ts';
import { detailOf, failing, verify } from '../../test/judge.ts';
import {
  outputInput,
  patchInput,
  productOf,
  sampleStory,
  SANDBOX,
  Story,
  TestLog,
  TRUST_ROOT,
} from '../../test/story.ts';
import { bundleBytes, parseBundle, verifyBundle } from '../index.ts';

let good: EvidenceBundle;
let other: EvidenceBundle;

beforeAll(async () => {
  const log = new TestLog();
  await log.seal(sampleStory('run-x'));
  good = await log.seal(sampleStory());
  other = await log.seal(sampleStory('run-b'));
});

/** Seals a story that breaks a rule, so that only the rule itself can find it. */
const sealed = (story: Story) => new TestLog().seal(story);

describe('a changed bundle', () => {
  test('DI-245: an intact bundle says what was checked and what was not', () => {
    const report = verify(good);
    expect(report).toMatchObject({
      run_id: 'run-a',
      intact: true,
      guarantee: 'detect',
      claim: 'tamper-detecting',
      time_tier: 'asserted',
      authz_tier: 'none',
      entries: 14,
    });
    expect(report.failure).toBeUndefined();
    expect(report.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['chain', true],
      ['root', true],
      ['manifest', true],
      ['handoff', true],
      ['signature', true],
      ['inclusion', true],
      ['anchor', 'n/a'],
      ['witness', 'n/a'],
      ['time', 'n/a'],
      ['authorization', 'n/a'],
    ]);
  });

  test('DI-246: an entry changed in place is named', () => {
    const bundle = forged(good, (b) => {
      const entry = b.entries[5];
      if (entry !== undefined) entry.at += 1;
    });
    expect(detailOf(bundle, 'chain')).toBe('false: entry 5 hash ≠ recomputed');
    expect(verify(bundle)).toMatchObject({ intact: false, claim: 'tampered', failure: 'chain' });
  });

  test('DI-246: a removed entry leaves a gap that is named, and re-chaining it breaks the seal', () => {
    const cut = forged(good, (b) => void b.entries.splice(2, 1));
    expect(detailOf(cut, 'chain')).toContain('non-contiguous seq at index 2: expected 2, got 3');
    const rechained = forged(cut, (b) => void (b.entries = copyOf(rechain('run-a', cut.entries))));
    expect(detailOf(rechained, 'chain')).toMatch(/^true/);
    expect(failing(rechained)).toEqual(['root']);
  });

  test('a ledger cut short, lengthened or reordered and re-chained is found', () => {
    const changes: ((entries: EvidenceBundle['entries']) => EvidenceBundle['entries'])[] = [
      (entries) => entries.slice(0, -1),
      (entries) => entries.slice(0, 1),
      (entries) => entries.slice(1),
      () => [],
      (entries) => [...entries, ...entries.slice(-1)],
      (entries) => [...entries.slice(0, 2), ...entries.slice(2, 4).toReversed(), ...entries.slice(4)],
      (entries) => entries.toReversed(),
    ];
    for (const change of changes) {
      const bundle = forged(good, (b) => void (b.entries = copyOf(rechain('run-a', change(good.entries)))));
      expect(failing(bundle)).toContain('root');
      expect(verify(bundle).intact).toBe(false);
    }
  });

  test('parts of another run sealed by the same installation do not fit, one by one or together', () => {
    const parts = ['entries', 'manifests', 'seal', 'log'] as const;
    for (let chosen = 1; chosen < 2 ** parts.length; chosen++) {
      const taken = parts.filter((_, i) => Math.floor(chosen / 2 ** i) % 2 === 1);
      const bundle = { ...good };
      for (const part of taken) Object.assign(bundle, { [part]: other[part] });
      expect([taken, verify(bundle).intact]).toEqual([taken, false]);
      const renamed = { ...bundle, run_id: 'run-b' };
      expect([taken, verify(renamed).intact]).toEqual([taken, taken.length === parts.length]);
    }
  });

  test("another run's seal replayed is not this run's", () => {
    const replayed = { ...good, seal: other.seal, log: other.log };
    expect(failing(replayed)).toEqual(['root', 'inclusion']);
    expect(detailOf(replayed, 'root')).toContain('sealed run_id "run-b", recomputed "run-a"');
  });

  test('FF-137: whatever part is stripped, the verdict fails or the bundle is not one', () => {
    const stripped: [string, (b: Record<string, unknown>) => void][] = [
      ...Object.keys(good).map((part): [string, (b: Record<string, unknown>) => void] => [
        `no ${part}`,
        (b) => void delete b[part],
      ]),
      ['no entries', (b) => void (b['entries'] = [])],
      ['no manifests', (b) => void (b['manifests'] = [])],
      ['no signatures', (b) => void (b['seal'] = { ...good.seal, signatures: [] })],
      [
        'no signature bytes',
        (b) => void (b['seal'] = { ...good.seal, signatures: [{ keyid: 'ops-2026', sig: '' }] }),
      ],
      ['no payload', (b) => void (b['seal'] = { ...good.seal, payload: '' })],
      ['no proof', (b) => void (b['log'] = { ...good.log, proof: [] })],
      ['no checkpoint', (b) => void (b['log'] = { ...good.log, checkpoint: '' })],
      [
        'no checkpoint signature',
        (b) => void (b['log'] = { ...good.log, checkpoint: good.log.checkpoint.replace(/— .*\n$/, '') }),
      ],
      ['no log', (b) => void (b['log'] = null)],
    ];
    for (const [what, strip] of stripped) {
      const bundle: Record<string, unknown> = { ...good };
      strip(bundle);
      let verdict: unknown;
      try {
        verdict = verifyBundle(parseBundle(bundleBytes(bundle as EvidenceBundle)), TRUST_ROOT).intact;
      } catch (error) {
        verdict = (error as { code: string }).code;
      }
      expect([what, [false, 'evidence_invalid'].includes(verdict as never)]).toEqual([what, true]);
    }
  });
});

describe('manifests and provenance', () => {
  test('DI-240: every attempt of a retried item has its manifest', () => {
    expect(detailOf(good, 'manifest')).toBe('true: 4 of 4 attempts');
    const last = forged(good, (b) => void b.manifests.splice(1, 1));
    expect(detailOf(last, 'manifest')).toMatch(/^false: item code attempt 1: no manifest with hash sha256:/);
  });

  test('DI-249: a manifest that is changed, doubled, foreign or out of order is found', () => {
    const cases: [RegExp, (b: ReturnType<typeof copyOf<EvidenceBundle>>) => void][] = [
      [/no manifest with hash/, (b) => void Object.assign(b.manifests[0] ?? {}, { actor: 'human:eve' })],
      [/second copy/, (b) => void b.manifests.push(copyOf(good.manifests[0] ?? {}))],
      [/belongs to no fired attempt/, (b) => void b.manifests.push(copyOf(other.manifests[0] ?? {}))],
      [/its manifest is number/, (b) => void (b.manifests = b.manifests.toReversed())],
      [/malformed at/, (b) => void Object.assign(b.manifests[0] ?? {}, { extra: 1 })],
    ];
    for (const [expected, change] of cases)
      expect(detailOf(forged(good, change), 'manifest')).toMatch(expected);
  });

  test('DI-249: a manifest made out for another run, item or attempt does not authorise this one', async () => {
    const story = new Story('run-a').submit(1).fire('a');
    const borrowed = new Story('run-z').submit(1).fire('a');
    story.manifests[0] = borrowed.manifests[0] ?? (undefined as never);
    story.entries.pop();
    const ref = String(borrowed.entries[1]?.data['manifest_ref']);
    story.tell('item.fired', {
      item: 'a',
      attempt: 1,
      run: 'run-a-a-1',
      manifest_ref: ref as `sha256:${string}`,
    });
    const bundle = await sealed(story.reconcile('a', 'done').complete('completed', { done: 1 }));
    expect(failing(bundle)).toEqual(['manifest']);
    expect(detailOf(bundle, 'manifest')).toContain('made out for another run, item or attempt');
  });

  test('DI-249: a manifest that contradicts the ledger of its attempt is found, and the row says in what', async () => {
    const before = 1_000;
    const commit = '1'.repeat(40);
    const changes: [RegExp, Partial<Manifest>][] = [
      [/says actor "human:eve", run.submitted "human:ann"/, { actor: 'human:eve' }],
      [/says submitted_at 1000, run.submitted \d+/, { submitted_at: before }],
      [
        /says workspace \{"commit":"1+","kind":"git"\}, run.submitted \{"commit":"0+"/,
        { workspace: { kind: 'git', commit } },
      ],
      [/says workspace \{"kind":"empty"\}/, { workspace: { kind: 'empty' } }],
      [/says fired_at 1000, item.fired \d+/, { fired_at: before }],
      [/says holds \["db"\], item.fired \[\]/, { holds: ['db'] }],
      [/says a deadline that was over when it was fired/, { deadline_at: before }],
      [/says sandbox "process", item.started "bubblewrap"/, { sandbox: { ...SANDBOX, provider: 'process' } }],
      [/its manifest's actor ≠ that of run.submitted/, { actor: 'x'.repeat(500) }],
    ];
    for (const [expected, change] of changes) {
      const story = new Story('run-m').submit(1).fire('a', 1, [], change).start('a').reconcile('a', 'done');
      const bundle = await sealed(story.complete('completed', { done: 1 }));
      expect(detailOf(bundle, 'manifest')).toMatch(expected);
      expect(failing(bundle)).toEqual(['manifest']);
    }
    const holding = new Story('run-m').submit(1).fire('a', 1, [], { holds: ['db'] });
    const { hash: _hash, ...fired } = holding.entries.pop() ?? { data: {}, hash: '' };
    holding.tell('item.fired', { ...(fired.data as EventData<'item.fired'>), holds: ['disk', 'db'] });
    const other = await sealed(holding.reconcile('a', 'done').complete('completed', { done: 1 }));
    expect(detailOf(other, 'manifest')).toContain('says holds ["db"], item.fired ["disk","db"]');
  });

  test('DI-249 EX-204: an attempt that ran with less of a boundary than its manifest authorised is found', async () => {
    type End = Parameters<Story['reconcile']>;
    const ended = (isolation: Isolation, ...[, status, , product, posture]: End) => {
      const story = new Story('run-p').submit(1);
      story
        .fire('a', 1, [], { sandbox: { ...SANDBOX, isolation } })
        .reconcile('a', status, 1, product, posture);
      return sealed(story.complete(status === 'done' ? 'completed' : 'failed', { [status]: 1 }));
    };
    const open = ['unsandboxed-host', 'time-limit'];
    const ran: ProductFacts = { blocks: [{ kind: 'agent', ordinal: 0, status: 'failed', duration_ms: 1 }] };
    for (const bundle of [
      await ended('sandboxed', 'a', 'done', 1, {}, open),
      await ended('sandboxed', 'a', 'failed', 1, ran, open),
    ]) {
      expect(detailOf(bundle, 'manifest')).toContain('says sandboxed, item.reconciled unsandboxed-host');
      expect(failing(bundle)).toEqual(['manifest']);
    }
    for (const bundle of [
      await ended('sandboxed', 'a', 'done', 1, {}, ['pid-namespace']),
      await ended('sandboxed', 'a', 'done', 1, {}),
      // It was refused before anything of it ran.
      await ended('sandboxed', 'a', 'failed', 1, {}, open),
      await ended('unsandboxed-host', 'a', 'done', 1, ran, open),
      await ended('unsandboxed-host', 'a', 'done', 1, ran, ['pid-namespace']),
    ])
      expect(failing(bundle)).toEqual([]);
  });

  test('DI-250: an input must be the declared product of the named item, made before', async () => {
    const chain = (inputs: Parameters<Story['fire']>[2], late = false) => {
      const story = new Story('run-h').submit(3);
      const produce = () => story.fire('a').reconcile('a', 'done', 1, productOf('a'));
      if (!late) produce();
      story.fire('b').reconcile('b', 'done', 1, productOf('b'));
      story.fire('c', 1, inputs);
      if (late) produce();
      return sealed(story.reconcile('c', 'done').complete('completed', { done: 3 }));
    };
    const patch = patchInput('k', 'a');
    const output = outputInput('k', 'a');
    expect(detailOf(await chain([patch, output]), 'handoff')).toBe('true: 2 input ref(s) accounted for');
    expect(detailOf(await chain([]), 'handoff')).toBe('n/a: no handoff edges');
    expect(detailOf(await chain([{ key: 'k', ref: patch.ref, applied: false }]), 'handoff')).toBe(
      'n/a: no handoff edges; 1 given by the plan itself',
    );
    const bad: [RegExp, Parameters<Story['fire']>[2], boolean?][] = [
      [
        /^false: item c input k: sha256:\w+ not produced by any item in this run before it was used$/,
        [patch],
        true,
      ],
      [/not produced by any item/, [{ ...patch, ref: `sha256:${'0'.repeat(64)}`, from: 'nobody' }]],
      [/was produced by a, not by nobody/, [{ ...patch, from: 'nobody' }]],
      [/is not what its declared edge selects from b/, [{ ...patch, from: 'b' }]],
      [/is not what its declared edge selects from a/, [{ ...patch, ref: output.ref }]],
      [/is not what its declared edge selects from a/, [{ ...output, ref: patch.ref }]],
      [/was produced by|declared edge/, [{ ...output, select: { kind: 'output', path: 'other.md' } }]],
      [/is given twice/, [output, output]],
    ];
    for (const [expected, inputs, late] of bad) {
      const bundle = await chain(inputs, late);
      expect(detailOf(bundle, 'handoff')).toMatch(expected);
      expect(failing(bundle)).toEqual(['handoff']);
    }
  });

  test('DI-250: the product of an attempt that was not done is no product', async () => {
    const story = new Story('run-h').submit(2).fire('a').reconcile('a', 'retrying', 1, productOf('a'));
    story.fire('c', 1, [patchInput('k', 'a')]).reconcile('c', 'done');
    story.fire('a', 2).reconcile('a', 'done', 2, productOf('a'));
    const bundle = await sealed(story.complete('completed', { done: 2 }));
    expect(failing(bundle)).toEqual(['handoff']);
  });
});
