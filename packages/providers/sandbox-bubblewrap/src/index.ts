export { bubblewrapSandboxes } from './bubblewrap-provider.ts';
