export type { ResultSinks, SinkPort } from '@palisade/automation';
export { findCredential, OWN_SHAPES, validatePipeline, validatePlanShape } from '@palisade/dispatch';
export { type ComposeOptions, compose, type Composition } from './compose.ts';
export { type HostAccounts, openHostAccounts } from './host-accounts.ts';
export { type Layout, layoutOf } from './layout.ts';
export { type ControlPlane, openControlPlane } from './open-control-plane.ts';
export { type Embedded, type EmbeddedOptions, openEmbedded } from './open-embedded.ts';
export { checkPolicy, type PolicyOrigin } from './policy-setting.ts';
export { probeSandboxes, type SandboxReport } from './sandbox-choice.ts';
