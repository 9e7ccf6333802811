/** What the keys of the live view do. */
export interface KeyActions {
  readonly answer: () => void;
  readonly log: () => void;
  readonly next: () => void;
  readonly previous: () => void;
  readonly failedOnly: () => void;
  readonly detach: () => void;
  readonly suspend: () => void;
}

/**
 * Reads single keys from a terminal until stopped. Does nothing when standard input is no terminal.
 * Ctrl-C and Ctrl-Z arrive as bytes here, because raw mode keeps the terminal from making signals.
 */
export function readKeys(stdin: NodeJS.ReadStream, actions: KeyActions): () => void {
  if (!stdin.isTTY) return () => {};
  const bound: Readonly<Record<string, () => void>> = {
    a: actions.answer,
    l: actions.log,
    j: actions.next,
    k: actions.previous,
    f: actions.failedOnly,
    q: actions.detach,
    '\u0003': actions.detach,
    '\u001A': actions.suspend,
    '\u001B[B': actions.next,
    '\u001B[A': actions.previous,
  };
  const onData = (chunk: Buffer): void => {
    const text = chunk.toString('latin1');
    const whole = Object.hasOwn(bound, text) ? bound[text] : undefined;
    if (whole !== undefined) {
      whole();
      return;
    }
    // An escape sequence that is not bound is one key, not several.
    if (text.startsWith('\u001B')) return;
    for (const key of text) if (Object.hasOwn(bound, key)) bound[key]?.();
  };
  // A terminal that was closed says so by an error, or by its end.
  stdin.on('error', actions.detach);
  stdin.on('end', actions.detach);
  stdin.on('data', onData);
  if (setRaw(stdin, true)) stdin.resume();
  else actions.detach();
  return () => {
    stdin.removeListener('data', onData);
    stdin.removeListener('end', actions.detach);
    setRaw(stdin, false);
    stdin.pause();
  };
}

/** False when the terminal is gone. */
function setRaw(stdin: NodeJS.ReadStream, mode: boolean): boolean {
  try {
    stdin.setRawMode(mode);
    return true;
  } catch {
    return false;
  }
}
