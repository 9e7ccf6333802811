import type { BoundOperation, Caller, PresentedSession, PrincipalView } from '@palisade/contracts';
import type { Database, WriteTx } from '@palisade/kernel';
import { authenticateSession, type BrowserCaller } from './browser/authenticate-session.ts';
import { browserSessionOperations } from './browser/browser-session-operations.ts';
import { csrfToken, isCsrfToken, SessionCookies } from './browser/session-cookie.ts';
import { signIn, type SignInInput } from './browser/sign-in.ts';
import { signInOperations, type SignInWays } from './browser/sign-in-operations.ts';
import { signOut } from './browser/sign-out.ts';
import { auditOperations } from './audit/audit-operations.ts';
import { identityClock } from './callers/identity-clock.ts';
import { recheck } from './callers/recheck.ts';
import { clockOperations } from './clock/clock-operations.ts';
import { authenticate, type TokenCaller } from './credentials/authenticate.ts';
import { credentialOperations } from './credentials/credential-operations.ts';
import { emailOperations } from './email/email-operations.ts';
import { forgotPassword, type PasswordReset, resetPassword, verifyEmail } from './email/mail-links.ts';
import type { Mailer } from './email/mailer.ts';
import { bindSession } from './harness-sessions/bind-session.ts';
import { harnessSessionOperations } from './harness-sessions/harness-session-operations.ts';
import { type IdleSessions, idleSessions } from './harness-sessions/idle-sessions.ts';
import { jobOperations } from './jobs/job-operations.ts';
import { authenticateReporter } from './jobs/reporter.ts';
import { reporterOperations } from './jobs/reporter-operations.ts';
import { passkeyOperations } from './passkeys/passkey-operations.ts';
import { passkeyRequest, passkeySignIn, type PasskeySignInInput } from './passkeys/passkey-sign-in.ts';
import { RelyingParty } from './passkeys/relying-party.ts';
import { PasswordHasher } from './passwords/password-hasher.ts';
import { Throttle } from './passwords/throttle.ts';
import { accountOperations } from './people/account-operations.ts';
import { hasPeople, initAdmin, recoverPassword } from './people/host-accounts.ts';
import { operatorOperations } from './people/operator-operations.ts';
import { principalView } from './principals/principal.ts';
import { principalOperations } from './principals/principal-operations.ts';

export interface IdentityDeps {
  readonly database: Database;
  /** True only for development on one machine without TLS: then the cookie is neither `Secure` nor `__Host-` (AC-038). */
  readonly insecureLoopback?: boolean;
  /** Such as `https://palisade.example.com`: its host is the relying party of passkeys. Without it there are none. */
  readonly publicOrigin?: string;
  /** Hands messages over, such as `smtpMailer`. Without it, or without a public origin, none are sent (AC-046). */
  readonly mailer?: Mailer;
  /** Raises `credential_in_text` when text looks like it holds a credential (DI-048). */
  readonly scanText: (text: string, place: string) => void;
  /** The machine's clock, Unix ms. */
  readonly wallClock?: () => number;
  /** After how many days without a change a harness session is closed; 0, and absent: never. */
  readonly sessionIdleDays?: number;
  /** Counts ms from anywhere, and is never set. */
  readonly monotonic?: () => number;
}

/** Who may use the control plane, and how it is told that it is them. */
export interface Identity extends SignInWays {
  readonly operations: BoundOperation[];
  /**
   * Whose token it is; null for one that is malformed, unknown, expired or revoked, or whose principal is disabled. A surface
   * answers each of these with `authentication_required` alike (AC-017).
   */
  authenticate(token: string): Promise<TokenCaller | null>;
  /** The caller, bound to the harness session it presents; null for one that is not its own, not open or not proved (AC-058): one answer for all. */
  bindSession(caller: Caller, presented: PresentedSession): Promise<Caller | null>;
  /** The reporter that is named, when the bearer is its own and the credential that it stands on is good (AC-152); null otherwise, one answer for all. */
  authenticateReporter(bearer: string, reporter: string): Promise<Caller | null>;
  /** Closes harness sessions in which nothing was changed for days (AC-062). */
  readonly idleSessions: IdleSessions;
  /** Raises `authentication_required` when the caller's credential was revoked, has expired or its principal is disabled (AC-056). Inside a unit of work. */
  recheck(tx: WriteTx, caller: Caller): Promise<void>;
  /** Name of the cookie that holds a browser's session. */
  readonly cookieName: string;
  /** Whose session a cookie holds, or null. A surface lets a write pass only with {@link Identity.checkCsrf} and the expected origin (AC-038). */
  authenticateSession(cookieValue: string): Promise<BrowserCaller | null>;
  /** True when the value a page presented is the one of this session. */
  checkCsrf(cookieValue: string, presented: string | undefined): boolean;
  /** Verifies the address whose mailed link was followed (AC-044); false for a link that is not good. Not for `HEAD`. Raises `rate_limited` while many links were tried that are not good. */
  verifyEmail(token: string): Promise<boolean>;
  /** Sets a password by a mailed link (AC-045). Raises `invalid_input`, `authentication_required` and, as above, `rate_limited`. */
  resetPassword(input: PasswordReset): Promise<void>;
  /** Whether a person has an account. */
  hasPeople(): Promise<boolean>;
  /** Makes the first administrator of an empty installation (AC-034). Only for commands on the host. */
  initAdmin(input: { readonly name: string; readonly password: string }): Promise<PrincipalView>;
  /** Gives a person a new password (AC-049). Only for commands on the host. */
  recoverPassword(input: {
    readonly name: string;
    readonly password: string;
    readonly reason: string;
  }): Promise<PrincipalView>;
}

/** Challenges for sign-ins with passkeys that are given in a minute: anybody may ask, and each is a row. */
const CHALLENGES = 60;

/** Addresses that are asked for in a minute: anybody may ask. */
const ADDRESSES = 60;

/** Links that nobody was sent, of a minute. One that is good is never counted, so nobody's tries are in its way. */
const UNKNOWN_LINKS = 60;

/** Opens identity over a database with `identityMigrations`. */
export function identity(deps: IdentityDeps): Identity {
  const { database, insecureLoopback = false, wallClock = Date.now } = deps;
  const clock = identityClock(database, wallClock);
  const cookies = new SessionCookies(insecureLoopback);
  const party = deps.publicOrigin === undefined ? null : RelyingParty.of(deps.publicOrigin);
  const challenges = new Throttle(deps.monotonic, { ofOneName: CHALLENGES, inAll: CHALLENGES });
  const passkeys = { database, party, cookies, challenges };
  const mail =
    deps.mailer === undefined || deps.publicOrigin === undefined
      ? null
      : { mailer: deps.mailer, origin: new URL(deps.publicOrigin).origin };
  const people = { database, mail, hasher: new PasswordHasher(), throttle: new Throttle(deps.monotonic) };
  const mails = {
    ...people,
    addresses: new Throttle(deps.monotonic, { inAll: ADDRESSES }),
    unknownLinks: new Throttle(deps.monotonic, { ofOneName: UNKNOWN_LINKS, inAll: UNKNOWN_LINKS }),
  };
  const jobs = { database, clock, scanText: deps.scanText };
  const signedIn = (value: string) => authenticateSession({ database, clock }, value);
  const ways = {
    login: (input: SignInInput) => signIn({ ...people, cookies }, input),
    passkeyLoginOptions: () => passkeyRequest(passkeys),
    passkeyLogin: (input: PasskeySignInInput) => passkeySignIn(passkeys, input),
    logout: async (value: string, requestId?: string) => {
      const found = await signedIn(value);
      if (found !== null) await signOut(database, found.caller, requestId);
      return cookies.cleared;
    },
    me: async (value: string) => {
      const found = await signedIn(value);
      return found === null ? null : { actor: principalView(found.principal), csrf_token: csrfToken(value) };
    },
    forgotPassword: (input: { readonly email: string }) => forgotPassword(mails, input),
  };
  return {
    operations: [
      ...signInOperations(ways),
      ...auditOperations(database),
      ...principalOperations(database),
      ...credentialOperations(database),
      ...operatorOperations(people),
      ...accountOperations({ ...people, cookies }),
      ...browserSessionOperations(database, cookies),
      ...passkeyOperations(passkeys),
      ...emailOperations(mails),
      ...clockOperations(database),
      ...harnessSessionOperations(database, clock),
      ...jobOperations(jobs),
      ...reporterOperations(jobs),
    ],
    authenticate: (token) => authenticate({ database, clock }, token),
    bindSession: (caller, presented) => bindSession(database, caller, presented),
    authenticateReporter: (bearer, reporter) => authenticateReporter(jobs, bearer, reporter),
    idleSessions: idleSessions(database, deps.sessionIdleDays ?? 0),
    recheck: async (tx, caller) => {
      await recheck(tx, caller);
    },
    cookieName: cookies.name,
    ...ways,
    authenticateSession: async (value) => (await signedIn(value))?.caller ?? null,
    checkCsrf: isCsrfToken,
    verifyEmail: (token) => verifyEmail(mails, token),
    resetPassword: (input) => resetPassword(mails, input),
    hasPeople: () => database.read(hasPeople),
    initAdmin: (input) => initAdmin(people, input),
    recoverPassword: (input) => recoverPassword(people, input),
  };
}
