export { main } from './main.ts';
export type { Connections, ControlPlane } from './control-plane.ts';
