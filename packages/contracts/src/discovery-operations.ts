import * as z from 'zod';
import { operation } from './operation.ts';

/** Where whoever has no credential reads how to get one. */
export const AUTHENTICATION_HELP = '/v1/help/authentication';

/** What a client has to know before it has a credential (AO-002). */
export const ServerInfo = z.strictObject({
  product: z.literal('palisade'),
  product_version: z.string(),
  /** The first part of every path. */
  api_version: z.literal('v1'),
  /** Rises whenever the guide says something new. */
  instruction_version: z.int().positive(),
  openapi: z.string(),
  authentication_help: z.string(),
  agent_startup: z.strictObject({
    schema: z.literal(2),
    /** The whole guide, as text. */
    guide: z.string(),
    mcp: z.strictObject({ instructions: z.string() }),
  }),
  mcp: z.strictObject({ path: z.string() }),
  client_compatibility: z.strictObject({
    api_versions: z.array(z.string()),
    mcp_protocol_versions: z.array(z.string()),
    /** What a client has to be able to do. */
    capabilities: z.array(z.string()),
    /** The client that belongs to this server. The commit and not the version says which one it is; it is left out where it is not known. */
    compatible_client: z.strictObject({
      name: z.string(),
      version: z.string(),
      source_commit: z
        .string()
        .regex(/^[0-9a-f]{40}$/)
        .optional(),
    }),
    /** Packages whose digests were checked; when there are none, the client is built from that commit. */
    verified_packages: z.array(
      z.strictObject({ target: z.string(), release: z.string(), download: z.url(), sha256: z.string() }),
    ),
  }),
});

export const getInfo = operation({
  id: 'info.get',
  method: 'GET',
  path: '/v1/info',
  summary: 'What this server is, and how an agent begins',
  effect: 'read',
  access: 'anonymous',
  input: z.strictObject({}),
  output: ServerInfo,
  errors: [],
});

export const AuthenticationHelp = z.strictObject({
  summary: z.string(),
  /** In the order in which they are done. */
  steps: z.array(z.string()),
  /** Requests in full, for clients without the command line; what is in capitals is filled in. */
  examples: z.array(z.strictObject({ title: z.string(), request: z.string() })),
  /** What each refusal asks for. */
  remedies: z.array(z.strictObject({ code: z.string(), remedy: z.string() })),
});

export const getAuthenticationHelp = operation({
  id: 'help.authentication',
  method: 'GET',
  path: AUTHENTICATION_HELP,
  summary: 'How to get and use a credential',
  effect: 'read',
  access: 'anonymous',
  input: z.strictObject({}),
  output: AuthenticationHelp,
  errors: [],
});
