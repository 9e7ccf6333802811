import { limits } from '@palisade/contracts';
import { Share, type ShareLimits } from './share.ts';
import { Turns } from './turns.ts';

/** What callers may hold of a server at once. */
export interface LoadLimits {
  /** Requests under way, from their head until the last byte of their answer was taken. */
  readonly calls: ShareLimits;
  /** Those of one reporter among them; in {@link calls} all reporters of a principal are one caller. */
  readonly reports: ShareLimits;
  /** Event streams among them. */
  readonly streams: ShareLimits;
  /** Bytes of bodies that have arrived and whose requests are under way. */
  readonly bodyBytes: ShareLimits;
  /** Large bodies that wait for their turn to be worked through; see {@link Turns}. */
  readonly turns: ShareLimits;
}

const MiB = 1024 * 1024;

/** One caller may send the largest body there is, and no second one beside it; the process holds the bodies of two such callers. */
export const LOAD: LoadLimits = {
  calls: { perCaller: 256, inAll: 8_000 },
  reports: { perCaller: 4, inAll: 8_000 },
  streams: { perCaller: 128, inAll: 4_000 },
  bodyBytes: {
    perCaller: limits.deployRequestBytes + 16 * MiB,
    inAll: 2 * limits.deployRequestBytes + 64 * MiB,
  },
  turns: { perCaller: 2, inAll: 32 },
};

/** A body of more than this is worked through in turn. */
export const LARGE_BODY_BYTES = 256 * 1024;

/** What callers hold of this server. */
export class Load {
  readonly calls: Share;
  readonly reports: Share;
  readonly streams: Share;
  readonly bodyBytes: Share;
  readonly turns: Turns;

  constructor({ calls, reports, streams, bodyBytes, turns }: LoadLimits) {
    this.calls = new Share('requests', calls);
    this.reports = new Share('requests of this reporter', reports);
    this.streams = new Share('event streams', streams);
    this.bodyBytes = new Share('bytes of bodies', bodyBytes);
    this.turns = new Turns(new Share('large bodies', turns));
  }
}
