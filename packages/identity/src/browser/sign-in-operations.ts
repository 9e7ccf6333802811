import {
  bindOperation,
  type BoundOperation,
  type Browser,
  type CallContext,
  forgotPassword,
  type Json,
  login,
  logout,
  me,
  PalisadeError,
  passkeyLogin,
  passkeyLoginOptions,
  type PrincipalView,
  type SessionCookie,
  type SignedInView,
} from '@palisade/contracts';
import type * as z from 'zod';
import { unauthenticated } from '../callers/recheck.ts';
import type { PasskeySignInInput } from '../passkeys/passkey-sign-in.ts';
import type { SignedIn, SignInInput } from './sign-in.ts';

/** How people come in and go. */
export interface SignInWays {
  /** Signs a person in (AC-037); the surface has checked the request's origin. Raises `authentication_required` and `rate_limited`. */
  login(input: SignInInput): Promise<SignedIn>;
  /** What a browser needs to sign in with a passkey (AC-047). Raises `rate_limited`, and `requirements_unmet` without a public origin. */
  passkeyLoginOptions(): Promise<{ readonly challenge_id: string; readonly options: object }>;
  /** Signs a person in with a passkey; answers like {@link SignInWays.login}. */
  passkeyLogin(input: PasskeySignInInput): Promise<SignedIn>;
  /** Ends the session of a cookie, if it holds one, and gives the cookie that takes it away. */
  logout(cookieValue: string, requestId?: string): Promise<SessionCookie>;
  /** Who is signed in, as {@link SignInWays.login} told it (AC-037); null when nobody is. */
  me(cookieValue: string): Promise<{ readonly actor: PrincipalView; readonly csrf_token: string } | null>;
  /** Has links for new passwords mailed (AC-045). An answer comes at once, and never waits for `sent`. */
  forgotPassword(input: { readonly email: string }): {
    readonly requested: true;
    readonly sent: Promise<void>;
  };
}

/** The operations by which people come in and go (AC-037, AC-045, AC-047, AO-166). The surface has checked where a call comes from. */
export function signInOperations(ways: SignInWays): BoundOperation[] {
  return [
    bindOperation(login, async ({ username, password }, context) => {
      const browser = browserOf(context);
      return enter(
        browser,
        await ways.login({
          name: username,
          password,
          previous: browser.session,
          requestId: context.requestId,
        }),
      );
    }),
    bindOperation(passkeyLoginOptions, async () => {
      const { challenge_id: challenge, options } = await ways.passkeyLoginOptions();
      return { challenge_id: challenge, options: options as z.output<typeof Json> };
    }),
    bindOperation(passkeyLogin, async (input, context) => {
      const browser = browserOf(context);
      return enter(
        browser,
        await ways.passkeyLogin({ ...input, previous: browser.session, requestId: context.requestId }),
      );
    }),
    bindOperation(forgotPassword, async (input) => {
      const { requested } = ways.forgotPassword(input);
      return { requested };
    }),
    bindOperation(me, async (_, context) => {
      const told = await ways.me(browserOf(context).session ?? '');
      if (told === null) throw unauthenticated();
      return told;
    }),
    bindOperation(logout, async (_, context) => {
      const browser = browserOf(context);
      browser.setCookie(await ways.logout(browser.session ?? '', context.requestId));
      return { signed_out: true as const };
    }),
  ];
}

/** The cookie goes beside the answer, and is in nothing that is told. */
function enter(browser: Browser, { cookie, actor, csrf_token }: SignedIn): SignedInView {
  browser.setCookie(cookie);
  return { actor, csrf_token };
}

function browserOf({ browser }: CallContext): Browser {
  if (browser !== undefined) return browser;
  throw new PalisadeError('operation_not_permitted', 'people sign in in a browser, and out of it', {
    next: 'use the token alone; who it is of is at /v1/auth/account',
  });
}
