import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { httpRig } from '../../test/http-rig.ts';
import { callByHand } from '../../test/mcp-rig.ts';
import { withoutPlaces } from './without-places.ts';

it('a control plane is named by the served directory, whichever of its names stands there, and nothing else is', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-places-'));
  const link = `${directory}-link`;
  symlinkSync(directory, link);
  onTestFinished(() => {
    rmSync(link);
    rmSync(directory, { recursive: true });
  });
  const told = withoutPlaces(link);
  expect(told(`fatal: '${directory}/own/.git' is no repository, nor is ${link}: see ${link}/x y`)).toBe(
    `fatal: './own/.git' is no repository, nor is .: see ./x y`,
  );
  expect(told(`${tmpdir()}/palisade-scratch-1/index.lock`)).toBe('…/palisade-scratch-1/index.lock');
  for (const other of [`/etc/passwd`, `${directory}-other/x`, `/srv${directory}/x`, `${directory}.d`])
    expect(told(other)).toBe(other.replace(new RegExp(`^${tmpdir()}(?=/)`), '…'));
});

it('what goes wrong with a repository tells callers from outside no place of this machine', async () => {
  const rig = await httpRig();
  const token = rig.token(['read', 'write']);
  const broken = { code: 'storage_full', message: `git failed in ${rig.root}/own` } as const;
  const error = () =>
    new PalisadeError(broken.code, broken.message, {
      why: `fatal: cannot open '${rig.root}/.palisade/planes/x': no space`,
      next: `look at ${rig.root}/own`,
      issues: [{ path: 'repository', message: `${rig.root} is odd` }],
    });
  Object.assign(rig.composition.database, { read: () => Promise.reject(error()) });
  const { body } = await rig.send('GET', '/v1/projects/default/runs', { token });
  expect(body).toMatchObject({ detail: 'git failed in ./own', next: 'look at ./own' });
  expect(JSON.stringify(body)).not.toContain(rig.root);
  const { told } = await callByHand(rig, token, 'runs_list');
  expect(told).toMatchObject({ detail: 'git failed in ./own' });
  expect(JSON.stringify(told)).not.toContain(rig.root);
});
