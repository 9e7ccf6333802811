import { addSchedule, type Caller, extendRun, hostCaller, Plan, submitPlan } from '@palisade/contracts';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import { heldToCaller, NOT_FOR_AGENTS } from './held-to-caller.ts';

const outside = (kind: Caller['kind']): Caller => ({
  ...hostCaller(`${kind}:x`),
  kind,
  principal: 'prn_x',
  credential: 'crd_x',
});
const deps = { isOffered: async () => true } as never;
const plan = { items: [{ id: 'a', command: 'true' }] };
const full = { ...plan, retention_days: 9, notifications: [{ when: ['run.failed'], endpoint: 'ops' }] };

describe('what an agent may not choose', () => {
  it('DI-264: whom a run tells and how long it is kept are refused by name, and nothing is dropped silently', async () => {
    for (const [given, paths] of [
      [{ ...plan, retention_days: 9 }, ['retention_days']],
      [{ ...plan, notifications: [] }, ['notifications']],
      [full, ['notifications', 'retention_days']],
    ] as const)
      await expect(heldToCaller(deps, { plan: given }, outside('agent'))).rejects.toMatchObject({
        code: 'operation_not_permitted',
        issues: paths.map((path) => ({ path })),
        next: expect.stringContaining(paths[0]),
      });
    expect(await heldToCaller(deps, { plan }, outside('agent'))).toEqual({ plan, require_isolation: true });
    for (const nonsense of [null, 7, 'x', [], undefined])
      expect(await heldToCaller(deps, { plan: nonsense }, outside('agent'))).toMatchObject({
        require_isolation: true,
      });
  });

  it('a repository that is not offered is refused by its field, with what its path means and how another is named', async () => {
    const refused = heldToCaller(
      { isOffered: async () => false } as never,
      { plan, repository: '/home/ada/shop' },
      outside('human'),
    );
    await expect(refused).rejects.toMatchObject({
      code: 'policy_denied',
      issues: [{ path: 'repository' }],
      why: expect.stringContaining("on the server's machine"),
      next: expect.stringContaining('--repo PATH'),
    });
  });

  it('DI-264: people and services choose them, and so does whoever has the control plane’s own files', async () => {
    for (const caller of [outside('human'), outside('service'), hostCaller('agent:x')])
      expect(await heldToCaller(deps, { plan: full }, caller)).toMatchObject({ plan: full });
  });

  it('DI-264: no plan and no submission has a field for an image, a secret, an address, retention or an actor that is not held', () => {
    const fields = new Set<string>();
    for (const schema of [Plan, submitPlan.input, extendRun.input, addSchedule.input])
      collect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), fields);
    const meant =
      /image|secret|token(?!s)|credential|url|address|callback|webhook|notif|endpoint|retention|retain|keep|actor|principal/;
    const known = [...Object.keys(NOT_FOR_AGENTS), 'endpoint', 'model_endpoint'];
    expect([...fields].filter((name) => meant.test(name)).toSorted()).toEqual(known.toSorted());
    expect(fields.size).toBeGreaterThan(60);
  });
});

/** Names of all properties at any depth. */
function collect(schema: unknown, names: Set<string>): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    collect(value, names);
  }
}
