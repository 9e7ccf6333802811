import { AddressRefused } from './vetted-lookup.ts';

/** Trouble with a relayed request, whose text may be shown to the agent and to the operator. */
export class RelayFault extends Error {
  override readonly name = 'RelayFault';
  /** HTTP status of the answer, when there can still be one. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Foreign errors quote headers and addresses; only their code is told (FF-126, FF-129). */
export function toRelayFault(error: unknown): RelayFault {
  if (error instanceof RelayFault) return error;
  if (error instanceof AddressRefused) return new RelayFault(502, error.message);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return new RelayFault(502, typeof code === 'string' ? code : 'the connection broke');
}
