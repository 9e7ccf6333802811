import type { BlobStore } from '@palisade/contracts';
import type { Database, SecretStore } from '@palisade/kernel';

/** What the registry of every project works with. */
export interface RegistryRooms {
  /** Needs the kernel's revision and secret migrations. */
  readonly database: Database;
  readonly blobs: BlobStore;
  /** The secrets of one project. */
  readonly secrets: (project: string) => SecretStore;
}

/** What the registry of one project works with: its names and its secrets, and no other's (AC-005). */
export interface ProjectRooms {
  readonly project: string;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly secrets: SecretStore;
}

/** The rooms of one project. */
export function roomsOf({ database, blobs, secrets }: RegistryRooms, project: string): ProjectRooms {
  return { project, database, blobs, secrets: secrets(project) };
}
