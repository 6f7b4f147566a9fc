export type { components, paths } from './api.js';
export { Backoff, newKey, retried, type BackoffOptions, type RetryOptions } from './backoff.js';
export { Paseo, type PaseoOptions, type SendOptions } from './client.js';
export { isTransient, PaseoError, UnreachableError } from './error.js';
export { EventStream, type ConnectionState, type FollowOptions, type Topic } from './events.js';
export type { Frame } from './frame.js';
export type * from './wire.js';
