import { parentPort, workerData } from 'node:worker_threads';
import { argon2id } from 'hash-wasm';
import type { Derivation } from './derivation.ts';

/*
 * The start of a thread that derives one key and ends: the event loop of its process goes on meanwhile, and the
 * memory is given back.
 */
const { password, salt, memoryKib, passes, lanes, bytes } = workerData as Derivation;
const key = await argon2id({
  password,
  salt,
  memorySize: memoryKib,
  iterations: passes,
  parallelism: lanes,
  hashLength: bytes,
  outputType: 'binary',
});
// A port of a thread has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(key);
