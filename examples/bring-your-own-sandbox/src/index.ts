import type { SandboxProvider } from '@palisade/contracts';
import { namespaceSandboxes } from './provider.ts';

export { namespaceSandboxes };

/** What `PALISADE_SANDBOX_MODULES` looks for: a default export that makes the provider. */
export default function provider(): SandboxProvider {
  return namespaceSandboxes();
}
