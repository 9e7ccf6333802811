export type { BrowserCaller } from './browser/authenticate-session.ts';
export type { SignedIn, SignInInput } from './browser/sign-in.ts';
export type { TokenCaller } from './credentials/authenticate.ts';
export { type Identity, identity, type IdentityDeps } from './identity.ts';
export { identityMigrations } from './identity-migrations.ts';
export type { PasskeySignInInput } from './passkeys/passkey-sign-in.ts';
export type { PasswordReset } from './email/mail-links.ts';
export { type Mail, type Mailer, smtpMailer, type SmtpSettings } from './email/mailer.ts';
