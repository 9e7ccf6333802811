import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsoleClaimAnswer } from '@palisade/contracts';
import { acquireClaims } from '../src/console/claims.ts';
import { type Change, type Console, openConsole, type Party } from '../src/console/console.ts';
import { type KnownSession, sessionNamed, sessionText } from '../src/console/sessions.ts';
import type { MemoryDatabase } from '../src/store/memory-database.ts';

/** When the tests are, Unix ms. */
export const NOW = Date.UTC(2026, 11, 1, 12);

/** A user's home directory with what sessions tell each other. */
export class ConsoleHome implements Disposable {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'palisade-console-')));
  readonly env: Record<string, string> = { HOME: this.directory };
  readonly database: MemoryDatabase = openConsole({ env: this.env, create: true });
  #keys = 0;

  at(now: number = NOW): Console {
    return { database: this.database, machine: 'here', now, signal: new AbortController().signal };
  }

  session(name: string): KnownSession {
    return sessionNamed(this.at(), name, () => [], true);
  }

  /** A session that speaks. */
  party(name: string): Party {
    const session = this.session(name);
    return { session, name: sessionText(session), actor: 'human:ada' };
  }

  person(name: string): Party {
    return { session: undefined, name, actor: name };
  }

  change(key = `key-${(this.#keys += 1)}`, isRehearsal = false): Change {
    return { idempotencyKey: key, isRehearsal, request: [] };
  }

  claim(name: string, targets: readonly string[], now = NOW, ttlMs = 60_000): Promise<ConsoleClaimAnswer> {
    return acquireClaims(this.at(now), {
      ...this.change(),
      session: this.session(name),
      repository: '/srv/shop/.git',
      targets: targets.map((target) => ({ target, target_type: 'file' })),
      ttlMs,
      intent: undefined,
    });
  }

  folder(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  [Symbol.dispose](): void {
    this.database[Symbol.dispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
