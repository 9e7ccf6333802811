import { remoteCaller } from '@palisade/client';
import {
  closeHarnessSession,
  getHarnessSession,
  listRuns,
  type PresentedSession,
  registerHarnessSession,
} from '@palisade/contracts';
import { expect, it } from 'vitest';
import { describedAs, issuedToken, newSession } from '../../test/agent-session.ts';
import { httpRig } from '../../test/http-rig.ts';

it('AC-057 AC-058: a client registers its session, works in it and closes it, and sends the proof where the token goes', async () => {
  const rig = await httpRig();
  const token = await issuedToken(rig, 'ci');
  const { id, proof } = newSession();
  const session: PresentedSession = { session: id, proof };
  const sent: string[] = [];
  const client = remoteCaller({
    origin: rig.url,
    token,
    session,
    fetch: async (url, init) => {
      sent.push(JSON.stringify([url, init?.body]));
      return fetch(url, init);
    },
  });
  await expect(client.call(listRuns, {})).rejects.toMatchObject({ code: 'authentication_required' });
  const made = await client.call(registerHarnessSession, describedAs({ id, proof, headers: {} }));
  expect(await client.call(listRuns, {})).toMatchObject({ data: [] });
  // A call may be made in another session than the client's own.
  const wrong = { presented: { ...session, proof: newSession().proof } };
  await expect(client.call(listRuns, {}, wrong)).rejects.toMatchObject({ code: 'authentication_required' });
  expect(await client.call(closeHarnessSession, { session: id })).toHaveProperty('closed_at');
  await expect(client.call(listRuns, {})).rejects.toMatchObject({ code: 'authentication_required' });
  expect(await client.call(getHarnessSession, { session: id })).toMatchObject({
    created_at: made.created_at,
  });
  expect(sent.join(' ')).not.toContain(proof);
});
