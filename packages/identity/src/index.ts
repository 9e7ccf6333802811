export type { BrowserCaller } from './browser/authenticate-session.ts';
export type { IdleSessions } from './harness-sessions/idle-sessions.ts';
export type { SignedIn, SignInInput } from './browser/sign-in.ts';
export type { TokenCaller } from './credentials/authenticate.ts';
export { type Identity, identity, type IdentityDeps } from './identity.ts';
export { identityMigrations } from './identity-migrations.ts';
export type { PasskeySignInInput } from './passkeys/passkey-sign-in.ts';
export type { PasswordReset } from './email/mail-links.ts';
export {
  endAllAccess,
  type EndedAccess,
  type Restoration,
  unknownPassword,
} from './people/end-all-access.ts';
export type { ProjectPorts, ProjectsDeps } from './projects/project-ports.ts';
export { type Projects, projects } from './projects/projects.ts';
export { type Mail, type Mailer, smtpMailer, type SmtpSettings } from './email/mailer.ts';
