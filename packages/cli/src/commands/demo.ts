import { runDemo } from '../demo/demo.ts';
import type { demoCommand } from '../tree/installation-commands.ts';
import type { Handler } from './handler.ts';

/** `pal demo`: the whole path, on a project that is thrown away. */
export const execute: Handler<typeof demoCommand> = (invocation, _args, flags) => runDemo(invocation, flags);
