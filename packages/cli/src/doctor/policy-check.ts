import type { Invocation } from '../invocation.ts';
import { toFailure } from '../output/error.ts';
import { foreignLine } from '../output/foreign-text.ts';
import type { DoctorCheck } from './check.ts';

/** Whether the policy that is set can be read: while it cannot, nothing is submitted and nothing starts. */
export async function policyCheck({ config, env }: Invocation): Promise<readonly DoctorCheck[]> {
  const name = 'policy';
  const { checkPolicy } = await import('@palisade/server');
  try {
    const isSet = checkPolicy({ ...env, ...config.forControlPlane() }, config.originOf(name));
    return isSet ? [{ name, result: 'ok', detail: 'the rules of what may be done can be read' }] : [];
  } catch (error) {
    const { message, why, code, next } = await toFailure(error);
    const detail = `${foreignLine(message)}${why === undefined ? '' : `: ${foreignLine(why)}`} (${code})`;
    return [{ name, result: 'fail', detail, ...(next === undefined ? {} : { next }) }];
  }
}
