import type { ServerResponse } from 'node:http';
import type { ModelWire } from '@palisade/contracts';
import type { RelayFault } from './relay-fault.ts';

/** Kinds of refusals, in the words of both wires. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  413: 'request_too_large',
  502: 'api_error',
  504: 'timeout_error',
};

/** Answers a request of the sandbox with an error in the wire's own shape, and closes its connection. */
export function refuse(response: ServerResponse, wire: ModelWire, fault: RelayFault): void {
  const error = { type: TYPES[fault.status] ?? 'api_error', message: fault.message };
  const body = wire === 'anthropic' ? { type: 'error', error } : { error: { ...error, code: null } };
  response.writeHead(fault.status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify(body));
}
