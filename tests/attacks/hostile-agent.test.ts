import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EvidenceBundle, Manifest } from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startEngine, whyNoEngine } from '../../packages/providers/sandbox-docker/test/private-engine.ts';
import { attemptsOf, until } from '../support/installation.ts';
import { eachInstallationDatabase, type MakeDatabase } from '../support/installation-database.ts';
import { running } from '../support/processes.ts';
import { type Battlefield, openBattlefield } from './battlefield.ts';
import { type Attack, type HostileRun, hostileRun } from './hostile-run.ts';

/*
 * One program that means harm is run as the agent of a whole run, beside somebody else's. The same program on
 * the machine itself is the control: what does not work there proves nothing about a sandbox.
 */

/** What may fail on the machine itself as well, because that is a sandbox of somebody's own. Nothing else may. */
const NOT_EVERYWHERE = [
  'read: kernel log',
  'read: physical memory',
  'read: a disk',
  'append: through /proc/1/root',
  'namespace: network of the first process',
  'root: host name',
];
/** Whether these came to anything is judged from outside, after the end. */
const JUDGED_OUTSIDE = ['outlive: left behind by two forks', 'outlive: with an empty environment'];

const probe = await bubblewrapSandboxes().probe();
const noDocker = whyNoEngine();
const engine =
  noDocker === null ? await startEngine({ programs: [process.execPath, '/usr/bin/perl'] }) : null;
afterAll(() => engine?.stop());

let field: Battlefield | undefined;
let hostile: HostileRun | undefined;
afterEach(() => {
  hostile?.close();
  field?.close();
});

const namesOf = (outcome: Attack['outcome'], attacks: readonly Attack[]): string[] =>
  attacks.filter((attack) => attack.outcome === outcome).map(({ attack }) => attack);
/** All of them ran: the last line says how many there were. */
const assertWhole = (attacks: readonly Attack[]): void => {
  const names = attacks.map(({ attack }) => attack);
  expect(attacks.at(-1), names.join('\n')).toMatchObject({
    attack: 'end',
    detail: String(attacks.length - 1),
  });
};

/** Everything on the machine itself succeeds, but for what this machine gives nobody. */
async function assertControl(attacked: HostileRun): Promise<void> {
  const control = await attacked.control();
  assertWhole(control);
  const impossible = control.filter(
    ({ attack, outcome }) => outcome === 'refused' && !NOT_EVERYWHERE.includes(attack),
  );
  expect(impossible).toEqual([]);
  await until('what the control left to run', async () => running(attacked.left).length >= 2);
  for (const { pid } of running(attacked.left)) process.kill(pid, 'SIGKILL');
}

for (const { name, node, env, skip } of [
  {
    name: 'bubblewrap',
    node: process.execPath,
    env: {},
    skip: probe.available ? null : probe.reason,
  },
  { name: 'docker', node: 'node', env: engine?.env ?? {}, skip: noDocker },
]) {
  const why = skip === null ? '' : ` (skipped: ${skip})`;
  describe.skipIf(skip !== null)(`an agent that means harm, in ${name}${why}`, () => {
    eachInstallationDatabase('whole run', (makeDatabase: MakeDatabase) => {
      it('DI-109 DI-111 DI-152 DI-271: gets nothing of what it gets on the machine itself', {
        timeout: 240_000,
      }, async () => {
        field = await openBattlefield();
        hostile = await hostileRun(field, name, { ...env, ...(await makeDatabase()).env });
        const { ended, attacks } = await hostile.attack(name, node);
        expect(ended.code, ended.stdout + ended.stderr).toBe(0);
        assertWhole(attacks);
        expect(namesOf('succeeded', attacks)).toEqual(JUDGED_OUTSIDE);

        // What it did is looked for where it would be.
        expect(running(hostile.left)).toEqual([]);
        expect([hostile.decoy.exitCode, hostile.decoy.signalCode]).toEqual([null, null]);
        expect(readFileSync(field.write.victim, 'utf8')).toBe('untouched\n');
        const patch = await hostile.cli('diff', 'hostile', '--raw');
        expect(patch.stdout).not.toContain(field.secret);
        const { root, secrets } = hostile;
        await hostile.cli('evidence', 'export', 'hostile', '-o', '.palisade/bundle.json');
        const bundle = readFileSync(join(root, '.palisade/bundle.json'), 'utf8');
        for (const secret of secrets) {
          expect(bundle).not.toContain(secret);
          for (const text of hostile.printed) expect(text).not.toContain(secret);
        }

        await assertControl(hostile);
        // Only now, when it is known that the attacks would have harmed it.
        expect(await hostile.finish()).toMatch(/^\+cnry-[A-Za-z0-9]{32}$/m);
        expect((await hostile.cli('verify', 'victim')).code).toBe(0);
        await until('the attempts to be removed', async () => attemptsOf(root).length === 0);
      });
    });
  });
}

describe('an agent that means harm, in the process sandbox', () => {
  it('is not held, and is not said to be: its run is named unsandboxed-host everywhere', {
    timeout: 240_000,
  }, async () => {
    field = await openBattlefield();
    hostile = await hostileRun(field, 'process', {});
    const { ended, attacks } = await hostile.attack('process', process.execPath);
    assertWhole(attacks);
    expect(ended.stderr).toContain('agents run with your own rights on this machine');
    // The same as on the machine itself, with the exceptions named: what the firewall keeps out of an environment.
    const refused = namesOf('refused', attacks).filter((attack) => !NOT_EVERYWHERE.includes(attack));
    expect(refused).toEqual(['read: own environment at the start']);
    const reached = namesOf('succeeded', attacks);
    expect(reached).toEqual(
      expect.arrayContaining([
        'read: master key',
        'read: database',
        'read: ssh key',
        'read: passwords of the machine',
        'read: environment of its supervisor',
        'read: environment of the other agent',
        'read: workspace of the other agent',
        'memory of the worker: ptrace',
        'append: by its path',
      ]),
    );
    // What promises to be its own end holds here too.
    const survivors = running(hostile.left);
    for (const { pid } of survivors) process.kill(pid, 'SIGKILL');
    await hostile.cli('evidence', 'export', 'hostile', '-o', '.palisade/bundle.json');
    const bundle = EvidenceBundle.parse(
      JSON.parse(readFileSync(join(hostile.root, '.palisade/bundle.json'), 'utf8')),
    );
    expect(bundle.manifests.map((each) => Manifest.parse(each).sandbox)).toMatchObject([
      { provider: 'process', isolation: 'unsandboxed-host' },
    ]);
    expect(survivors.map(({ command }) => command)).toEqual([]);
  });
});
