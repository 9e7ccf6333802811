import type { Migration } from '@palisade/kernel';
import { credentialMigrations } from './credentials/credential-schema.ts';
import { principalMigrations } from './principals/principal-schema.ts';

/** The tables of this room, in the order they are made. */
export const identityMigrations: readonly Migration[] = [...principalMigrations, ...credentialMigrations];
