export { explainDenial } from './explain-denial.ts';
export { bubblewrapSandboxes } from './bubblewrap-provider.ts';
