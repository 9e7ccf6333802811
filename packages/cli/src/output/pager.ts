import { spawnSync } from 'node:child_process';
import type { Invocation } from '../invocation.ts';

/** True where text longer than the window is handed to `$PAGER`: a person's terminal, and a pager that is one. */
export function wantsPager({ settings, env }: Invocation): boolean {
  const pager = env['PAGER']?.trim() ?? '';
  return settings.manner === 'live' && settings.format === 'text' && pager !== '' && pager !== 'cat';
}

/** Writes text for people: through the pager where it is wanted and the text does not fit the window. */
export function printText(invocation: Invocation, lines: readonly string[]): void {
  const { out, env } = invocation;
  if (wantsPager(invocation) && lines.length >= (out.rows ?? Infinity)) {
    const ended = spawnSync(env['PAGER'] ?? '', {
      shell: true,
      input: `${lines.map((line) => out.shown(line)).join('\n')}\n`,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { LESS: 'FRX', ...env },
    });
    // 126 and 127: the shell found no such program. A pager that is left early has shown enough.
    if (ended.status !== null && ended.status !== 126 && ended.status !== 127) return;
  }
  for (const line of lines) out.line(line);
}
