import * as z from 'zod';

/** What a credential is used for (AC-050). An integrator calls integrator routes only (AC-055). */
export const CredentialClass = z.enum(['interactive', 'supervised', 'integrator']);
export type CredentialClass = z.infer<typeof CredentialClass>;

export const PrincipalKind = z.enum(['human', 'agent', 'service']);
export type PrincipalKind = z.infer<typeof PrincipalKind>;

/** What a person may do: an administrator everything, an operator everything but rule the installation. */
export const HumanRole = z.enum(['admin', 'operator']);
export type HumanRole = z.infer<typeof HumanRole>;

const idOf = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), `must be ${prefix}_ and 32 hex digits`);

export const PrincipalId = idOf('prn');
export const CredentialId = idOf('crd');
export const BrowserSessionId = idOf('bses');
/** Made by whoever registers the session, like every other id: `hses_` and a UUID without its hyphens. */
export const HarnessSessionId = idOf('hses');
export const SubagentId = idOf('hsub');
/** Made by whoever registers the job: a process on a workstation, one start of it, and who tells of it. */
export const ProducerJobId = idOf('pjob');
export const ProducerId = idOf('prod');
export const ReporterId = idOf('rep');
export const PasskeyId = idOf('pky');
export const PasskeyChallengeId = idOf('pkc');
