import { listAudit } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { identityRig } from '../../test/identity-rig.ts';
import { numberOf } from './page.ts';

eachDatabase('pages of what is numbered', (open) => {
  it('AC-019: a cursor that is no number is refused, in process too', async () => {
    const { call } = await identityRig(open);
    for (const cursor of ['x', '-1', '1e3', '01', ' 1', '9007199254740993', '1.5'])
      await expect(call(listAudit, { cursor }), cursor).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect((await call(listAudit, { cursor: '0' })).data).toEqual([]);
    expect(numberOf('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  });
});
