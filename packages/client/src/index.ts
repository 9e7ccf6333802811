export { boundedJson } from './bounded-json.ts';
export type { RemoteOptions } from './exchange.ts';
export type { paths } from './generated/openapi.ts';
export { type FollowOptions, followEvents } from './follow-events.ts';
export { originOf } from './origin.ts';
export { remoteCaller } from './remote-caller.ts';
export { type TypedClient, typedClient } from './typed-client.ts';
