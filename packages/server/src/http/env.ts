import type { Caller } from '@palisade/contracts';
import type { HttpBindings } from '@hono/node-server';

/** What is known of a request while it is answered. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    id: string;
    /** The operation's id, once it is one. */
    operation: string | null;
    /** Who calls, once that is known. */
    caller: Caller | null;
  };
}
