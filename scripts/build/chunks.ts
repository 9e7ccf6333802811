/*
 * How the bundle is divided. Few files start faster than many, but a short command must not read what
 * it does not run: help reads `start`, every command `core`, and only what opens a control plane the
 * packages behind it, each a file. What is named null goes where the bundler's own graph puts it:
 * commands, and the parts of other packages that are loaded late.
 */

const START =
  /\/cli\/src\/(?:control-plane|interrupt|output\/(?:sink|foreign-text|color)|tree\/(?:aliases|declaration|global-flags|help|resolve|tree|usage-error|[a-z]+-commands))\.ts$|\/contracts\/src\/(?:nearest|shell-words)\.ts$/;
const CORE =
  /\/cli\/src\/(?:open-invocation|project|retry|prompt|config\/|output\/(?!answers)|tree\/)|\/node_modules\/(?:commander|std-env)\//;

/** The file of the bundle that a module goes to, or null to leave it to the bundler. */
export function chunkOf(id: string): string | null {
  if (START.test(id)) return 'start';
  if (CORE.test(id)) return 'core';
  if (/\/packages\/contracts\/|\/node_modules\/zod\//.test(id)) return 'contracts';
  // Read with the validator behind it, by who has a schema of results.
  if (id.includes('/shapes/result-schema.ts')) return null;
  if (id.includes('/database/postgres/')) return null;
  // Only who runs a witness loads its database.
  if (/\/evidence\/src\/witness\/(?:stored-witness-state|witness)/.test(id)) return 'witness';
  // Loaded by who serves alone.
  if (/\/server\/src\/(?:serve\.ts|http\/|mcp\/)/.test(id)) return null;
  const room = /\/packages\/((?:providers\/)?[^/]+)\/src\//.exec(id)?.[1];
  switch (room) {
    case 'kernel':
    case 'workspace':
    case 'evidence':
    case 'worker':
      return room;
    case 'runs':
    case 'dispatch':
    case 'server':
      return 'server';
    case 'providers/sandbox-bubblewrap':
    case 'providers/sandbox-docker':
    case 'providers/sandbox-process':
      return 'sandboxes';
    default:
      return null;
  }
}
