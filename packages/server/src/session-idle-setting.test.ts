import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callerOf,
  collectStorage,
  createPrincipal,
  getHarnessSession,
  newId,
  registerHarnessSession,
} from '@palisade/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compose } from './compose.ts';
import { inControlPlaneHome } from './in-control-plane-home.ts';
import { layoutOf } from './layout.ts';
import { operatorSettings } from './operator-settings.ts';
import { sessionIdleSetting } from './session-idle-setting.ts';

const DAY = 86_400_000;

describe('PALISADE_SESSION_IDLE_DAYS', () => {
  it('AO-207: it is 7 days unless it is set, and 0 is never', () => {
    const days = (text: string) => sessionIdleSetting({ PALISADE_SESSION_IDLE_DAYS: text });
    expect([sessionIdleSetting({}), days(''), days('0'), days('366')]).toEqual([7, 7, 0, 366]);
    for (const text of ['367', '-1', '1.5', 'week', ' 7', '1e2', '9999'])
      expect(() => days(text)).toThrow('from 0 to 366');
    expect(operatorSettings({ PALISADE_SESSION_IDLE_DAYS: '3' }).sessionIdleDays).toBe(3);
  });

  it('AC-062: housekeeping closes what is idle, and tells before what it would', async () => {
    const root = await mkdtemp(join(tmpdir(), 'palisade-idle-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    let skew = 0;
    const composition = await compose({
      layout: await inControlPlaneHome(layoutOf(root), true, async () => layoutOf(root)),
      sessionIdleDays: 2,
      seams: { clock: () => Date.now() + skew },
      onFault: () => {},
    });
    onTestFinished(() => composition.close());
    const own = callerOf(composition.operations);
    const { token = '' } = await own.call(createPrincipal, { name: 'ci', kind: 'agent' });
    const caller = await composition.identity.authenticate(token);
    if (caller === null) throw new Error('nobody');
    const session = newId('hses');
    await own.call(
      registerHarnessSession,
      { session_id: session, workstation_id: 'w', harness: 'h', capabilities: [] },
      { caller, actor: caller.actor, presented: { proof: 'ab'.repeat(32) } },
    );
    expect(await own.call(collectStorage, {})).toMatchObject({ idle_sessions: 0 });
    skew = 2 * DAY + 1_000;
    expect(await own.call(collectStorage, { dry_run: true })).toMatchObject({ idle_sessions: 1 });
    expect(await own.call(getHarnessSession, { session })).not.toHaveProperty('closed_at');
    expect(await own.call(collectStorage, {})).toMatchObject({ idle_sessions: 1 });
    expect(await own.call(getHarnessSession, { session })).toHaveProperty('closed_at');
  });
});
