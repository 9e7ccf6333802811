export { type RemoteOptions, remoteCaller } from './remote-caller.ts';
