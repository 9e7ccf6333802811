import { sinkMigrations, webhookMigrations } from '@palisade/automation';
import {
  housekeepingMigrations,
  metricMigrations,
  planMigrations,
  scheduleMigrations,
} from '@palisade/dispatch';
import { identityMigrations } from '@palisade/identity';
import { type Migration, revisionMigrations, secretMigrations } from '@palisade/kernel';
import { runMigrations, sealMigrations } from '@palisade/runs';

/** The schema of a control plane beside the kernel's own: the migrations of each room, in the order in which they are applied. */
export const roomMigrations: readonly (readonly Migration[])[] = [
  identityMigrations,
  revisionMigrations,
  secretMigrations,
  runMigrations,
  planMigrations,
  sealMigrations,
  housekeepingMigrations,
  scheduleMigrations,
  webhookMigrations,
  metricMigrations,
  sinkMigrations,
];
