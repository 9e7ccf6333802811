/** Escapes made readable. Of the live view's frames only finished lines stay: how many footers were drawn depends on speed. */
export function visible(screen: string): string {
  return screen
    .replaceAll(/\u001B\[\?2026h\r \u001B\[J\r([^]*?)\u001B\[\?2026l/g, (_, frame: string) =>
      finishedOf(frame),
    )
    .replaceAll('\r\n', '\n')
    .replaceAll('\u001B', '<ESC>');
}

function finishedOf(frame: string): string {
  const up = /\u001B\[(\d+)A\r\u001B\[\?7h$/.exec(frame);
  const footer = up === null ? 1 : Number(up[1]) + 1;
  return frame
    .split('\r\n')
    .slice(0, -footer)
    .map((line) => `${line}\r\n`)
    .join('');
}
