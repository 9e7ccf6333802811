import { isPalisadeError } from '@palisade/contracts';
import type { Identity } from '@palisade/identity';
import type { Context, Hono } from 'hono';
import { anonymous, type AuthenticationDeps } from './authentication.ts';
import type { HttpEnv } from './env.ts';
import { readForm } from './form-body.ts';
import { expiredPage, messagePage, resetPage } from './page-html.ts';

/** What mailed links do. */
export type AccountPages = Pick<Identity, 'verifyEmail' | 'resetPassword'>;

const VERIFY = '/v1/auth/email/verify';
const RESET = '/v1/auth/password/reset';

/** A link's token as it is made: what is anything else is looked up nowhere and shown nowhere. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * The pages that mailed links lead to (AC-044, AC-045, AO-162, AO-164), for people whose mail program opened them: HTML without a script.
 * A link that verifies does so when it is followed, as its message says; `HEAD` does nothing. One for a new password shows a form and
 * no more, so that whatever looks at links before a person does changes nothing.
 */
export function routeAccountPages(app: Hono<HttpEnv>, deps: AuthenticationDeps, pages: AccountPages): void {
  const verify = async (token: string): Promise<Response> =>
    TOKEN.test(token) && (await pages.verifyEmail(token))
      ? messagePage(200, 'Your address is verified', 'You can close this page.')
      : expiredPage();
  app.get(VERIFY, (c) =>
    shown(deps, c, async () => {
      // A router answers HEAD as it answers GET.
      if (c.req.method === 'HEAD') return messagePage(200, 'Verify your address', '');
      return verify(tokenOf(new URL(c.req.url).searchParams));
    }),
  );
  app.post(VERIFY, (c) =>
    shown(deps, c, async () => {
      deps.origin.assertPage(c.req.raw.headers);
      return verify(tokenOf(await readForm(c.req.raw)));
    }),
  );
  app.get(RESET, (c) =>
    shown(deps, c, async () => {
      const token = tokenOf(new URL(c.req.url).searchParams);
      return TOKEN.test(token) ? resetPage(200, RESET, token, '') : expiredPage();
    }),
  );
  app.post(RESET, (c) =>
    shown(deps, c, async () => {
      deps.origin.assertPage(c.req.raw.headers);
      const form = await readForm(c.req.raw);
      const token = tokenOf(form);
      if (!TOKEN.test(token)) return expiredPage();
      const [password = '', confirmation = ''] = [form.get('password'), form.get('confirmation')].map(
        (value) => value ?? '',
      );
      try {
        await pages.resetPassword({ token, password, confirmation });
      } catch (error) {
        if (isPalisadeError(error, 'authentication_required')) return expiredPage();
        if (!isPalisadeError(error, 'invalid_input')) throw error;
        // The link stays good: the person tries another password.
        const told = error.issues.map(({ path, message }) => `The ${path} ${message}.`).join(' ');
        return resetPage(400, RESET, token, told);
      }
      return messagePage(200, 'The password is set', 'Sign in with it. Every browser was signed out.');
    }),
  );
}

/** Answers with a page, whatever becomes of it: but a fault, and a request that no page of ours sent, are problems as everywhere. */
async function shown(
  deps: AuthenticationDeps,
  c: Context<HttpEnv>,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    anonymous(deps, c);
    return await answer();
  } catch (error) {
    if (!isPalisadeError(error, 'rate_limited')) throw error;
    const { next = 'try again later', retryAfterMs = 0 } = error;
    const page = messagePage(429, 'Too many tries', `Please ${next}.`);
    page.headers.set('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
    return page;
  }
}

function tokenOf(fields: URLSearchParams): string {
  return fields.get('token') ?? '';
}
