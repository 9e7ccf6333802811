import {
  AUTHENTICATION_HELP,
  bindOperation,
  type BoundOperation,
  getAuthenticationHelp,
  getInfo,
  PRODUCT_VERSION,
  SOURCE_COMMIT,
} from '@palisade/contracts';
import { MCP_PATH, MCP_REVISIONS } from '../mcp/protocol.ts';
import { AGENT_GUIDE, GUIDE_VERSION } from './agent-guide.ts';
import { authenticationHelp } from './authentication-help.ts';

/** What anybody may read (AO-001…AO-006): the same on every installation, so it tells nothing of this one. */
export function discoveryOperations(): BoundOperation[] {
  return [
    bindOperation(getInfo, async () => ({
      product: 'palisade' as const,
      product_version: PRODUCT_VERSION,
      api_version: 'v1' as const,
      instruction_version: GUIDE_VERSION,
      openapi: '/v1/openapi.json',
      authentication_help: AUTHENTICATION_HELP,
      agent_startup: { schema: 2 as const, guide: AGENT_GUIDE, mcp: { instructions: AGENT_GUIDE } },
      mcp: { path: MCP_PATH },
      client_compatibility: {
        api_versions: ['v1'],
        mcp_protocol_versions: [...MCP_REVISIONS],
        capabilities: ['idempotency-key', 'problem+json'],
        compatible_client: {
          name: '@palisade/client',
          version: PRODUCT_VERSION,
          ...(SOURCE_COMMIT === null ? {} : { source_commit: SOURCE_COMMIT }),
        },
        verified_packages: [],
      },
    })),
    bindOperation(getAuthenticationHelp, async () => authenticationHelp),
  ];
}
