import { PalisadeError } from '@palisade/contracts';
import { isLoopback } from './listen.ts';

/** By what a server is called, and from which pages people use it. */
export interface OwnOriginOptions {
  /** Such as `https://palisade.example`; where there is none, the address that it listens on. */
  readonly publicOrigin: string | undefined;
  /** `http://127.0.0.1:7420`, once it listens. */
  readonly served: () => string;
  /** Something in front terminates TLS: then it is called by its public origin alone. */
  readonly isBehindTls: boolean;
}

/**
 * The one origin of a server. What a client says of where it came through (`Forwarded` and its kin) is never looked at: anybody
 * can say it.
 */
export class OwnOrigin {
  readonly #options: OwnOriginOptions;
  /** The last own origin and Host that were found to belong together. */
  #known = '';

  constructor(options: OwnOriginOptions) {
    this.#options = options;
  }

  /** As browsers write it in `Origin`. */
  get whole(): string {
    return this.#options.publicOrigin ?? this.#options.served();
  }

  /**
   * Refuses a request under a name that is none of this server, such as one that a web page made mean it (DNS rebinding). A server that
   * only this machine reaches is called by a name of this machine too. Raises `operation_not_permitted`.
   */
  assertHost(headers: Headers): void {
    const said = headers.get('host') ?? '';
    const known = `${this.whole} ${said}`;
    if (known === this.#known) return;
    const own = new URL(this.whole);
    const text = `${own.protocol}//${said}`;
    if (/^[\w.:[\]-]+$/.test(said) && URL.canParse(text)) {
      const { host, hostname } = new URL(text);
      const isOfMachine = !this.#options.isBehindTls && isLoopback(hostname.replaceAll(/[[\]]/g, ''));
      if (host === own.host || isOfMachine) {
        this.#known = known;
        return;
      }
    }
    throw new PalisadeError('operation_not_permitted', 'the Host is none of this server', {
      next: `call it by its public origin${this.#options.isBehindTls ? `, ${this.whole}` : ', or by the address it listens on'}`,
    });
  }

  /** Refuses what no page of this server sent (AC-038): the `Origin` has to be exactly its own. Raises `operation_not_permitted`. */
  assertPage(headers: Headers): void {
    if (headers.get('origin') === this.whole) return;
    throw new PalisadeError(
      'operation_not_permitted',
      'the request does not come from a page of this server',
      {
        why: `its Origin has to be ${this.whole}`,
        next: `open ${this.whole}, or have the operator set the public origin`,
      },
    );
  }
}
