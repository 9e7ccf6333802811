import type { Migration } from '@palisade/kernel';
import { browserSessionMigrations } from './browser/browser-session-schema.ts';
import { credentialMigrations } from './credentials/credential-schema.ts';
import { emailMigrations } from './email/email-schema.ts';
import { harnessSessionMigrations } from './harness-sessions/harness-session-schema.ts';
import { jobMigrations } from './jobs/job-schema.ts';
import { passkeyMigrations } from './passkeys/passkey-schema.ts';
import { passwordMigrations } from './passwords/password-schema.ts';
import { principalMigrations } from './principals/principal-schema.ts';
import { projectMigrations } from './projects/project-schema.ts';

/** The tables of this room, in the order they are made. */
export const identityMigrations: readonly Migration[] = [
  ...principalMigrations,
  ...credentialMigrations,
  ...passwordMigrations,
  ...browserSessionMigrations,
  ...passkeyMigrations,
  ...emailMigrations,
  ...projectMigrations,
  ...harnessSessionMigrations,
  ...jobMigrations,
];
