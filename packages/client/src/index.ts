export { originOf, type RemoteOptions, remoteCaller } from './remote-caller.ts';
