export type { TokenCaller } from './credentials/authenticate.ts';
export { type Identity, identity, type IdentityDeps } from './identity.ts';
export { identityMigrations } from './identity-migrations.ts';
