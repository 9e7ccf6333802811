import { type AuthorizationRequest, type Authorizer, AuthorizerAnswer } from '../authorization.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { TestTools } from './test-tools.ts';

/** The parts of a request that an authorizer of the suite decides by. */
export type AskedFor = Partial<Omit<AuthorizationRequest, 'at' | 'runId'>>;

/** How the suite gets at the authorizer it tests. */
export interface AuthorizerConformanceOptions {
  readonly name: string;
  /** An authorizer as a process opens it; the same policy is in force in all of them. */
  readonly make: () => Authorizer | Promise<Authorizer>;
  /** What its policy allows. */
  readonly allowed: AskedFor;
  /** What its policy denies. */
  readonly denied: AskedFor;
}

/** More than are asked about at once. */
const AT_ONCE = 100;

/**
 * Every promise of the seam `Authorizer` (DI-194), as tests against a real one:
 *
 *     authorizerConformance({ name: 'mine', make, allowed, denied }, { describe, it, expect });
 */
export function authorizerConformance(
  { name, make, allowed, denied }: AuthorizerConformanceOptions,
  { describe, it, expect }: TestTools,
): void {
  const ask = async (asked: AskedFor, authorizer?: Authorizer): Promise<AuthorizerAnswer> => {
    const answer: unknown = await (authorizer ?? (await make())).authorize(
      requestOf(asked),
      new AbortController().signal,
    );
    const parsed = AuthorizerAnswer.safeParse(answer);
    if (!parsed.success) throw new Error(`not an answer: ${JSON.stringify(answer)}`);
    return parsed.data;
  };

  describe(`DI-158: authorizer conformance: ${name}`, () => {
    it('DI-194: it allows and denies in both phases, and says whose right it judged', async () => {
      for (const phase of ['submit', 'fire'] as const) {
        const yes = await ask({ ...allowed, phase });
        expect([yes.verdict, yes.principal !== '']).toEqual(['allow', true]);
        const no = await ask({ ...denied, phase });
        expect([no.verdict, no.principal !== '']).toEqual(['deny', true]);
      }
    });

    it('DI-194: a denial says why, and every decision names the policy that was in force', async () => {
      const [yes, no] = [await ask(allowed), await ask(denied)];
      expect((no.reason ?? '').trim() === '').toBe(false);
      expect(/^sha256:[0-9a-f]{64}$/.test(yes.policy_ref ?? '')).toBe(true);
      expect(no.policy_ref).toBe(yes.policy_ref);
    });

    it('DI-194: the same question has the same answer, also in another process and after a crash', async () => {
      const authorizer = await make();
      for (const asked of [allowed, denied]) {
        const first = canonicalJson(await ask(asked, authorizer));
        expect(canonicalJson(await ask(asked, authorizer))).toBe(first);
        expect(canonicalJson(await ask(asked))).toBe(first);
      }
    });

    it('DI-194: many questions at once get each its own answer', async () => {
      const authorizer = await make();
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) => ask(i % 2 === 0 ? allowed : denied, authorizer)),
      );
      expect(answers.map(({ verdict }) => verdict)).toEqual(
        Array.from({ length: AT_ONCE }, (_, i) => (i % 2 === 0 ? 'allow' : 'deny')),
      );
    });
  });
}

function requestOf(asked: AskedFor): AuthorizationRequest {
  return {
    phase: 'fire',
    runId: 'run',
    itemId: 'item',
    actor: 'human:ann',
    effect: 'unknown',
    at: 1_767_225_600_000,
    ...asked,
  };
}
