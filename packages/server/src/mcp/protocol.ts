/** Where the tools are offered. */
export const MCP_PATH = '/mcp';

/** Revisions of the protocol that are spoken there. */
export const MCP_REVISIONS = ['2025-11-25', '2026-07-28'] as const;
