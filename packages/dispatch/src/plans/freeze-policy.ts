import type {
  AgentDefinition,
  ContentHash,
  EnvironmentDefinition,
  Isolation,
  ModelEndpointDefinition,
  PipelineDefinition,
} from '@palisade/contracts';

import type { ShapeCatalogue } from '../shapes/shape-catalogue.ts';

/** What freezing needs to know of the registry: names to content as of now, addresses to exactly what they name. Unknown ones raise `not_found`. */
export interface NameResolver {
  agent(name: string): Promise<{ readonly hash: ContentHash; readonly definition: AgentDefinition }>;
  capability(name: string): Promise<{ readonly name: string; readonly hash: ContentHash }>;
  environment(
    name: string,
  ): Promise<{ readonly hash: ContentHash; readonly definition: EnvironmentDefinition }>;
  modelEndpoint(
    name: string,
  ): Promise<{ readonly hash: ContentHash; readonly definition: ModelEndpointDefinition }>;
  pipeline(name: string): Promise<{ readonly hash: ContentHash; readonly definition: PipelineDefinition }>;
}

/** The operator's ceiling and defaults. */
export interface FreezePolicy {
  readonly sandbox: { readonly name: string; readonly isolation: Isolation };
  readonly allowNetwork: boolean;
  /** For items for which neither they nor their agent ask for a model (DI-062). */
  readonly defaultModel?: string;
  readonly executors: ReadonlySet<string>;
  readonly shapes: ShapeCatalogue;
  /** Asked about a queue the plan names; the one named `default` always exists. */
  readonly isQueue: (name: string) => Promise<boolean>;
  readonly title: string;
  /** How long the operator keeps runs, ms; null or absent: for ever. */
  readonly retentionMs?: number | null;
}
