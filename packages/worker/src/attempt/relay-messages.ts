import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES, InboxMessage, messageFile, toPalisadeError } from '@palisade/contracts';
import type { RunningAttempt } from './context.ts';
import type { Inbox } from './inbox.ts';

/** How often the attempt's directory is looked at for the next message; only of an item that has a channel. */
const LOOK_MS = 500;

/**
 * Puts what comes for the agent into its inbox while it runs, and says how far it came. Trouble with it is a warning, once, and nothing more:
 * what was not given is given to the next attempt.
 *
 * @returns ends it
 */
export function relayMessages(attempt: RunningAttempt): () => void {
  const { inbox, attemptDir } = attempt;
  if (inbox === null) return () => {};
  let told = 0;
  let hasWarned = false;
  const look = (): void => {
    try {
      for (let next = nextMessage(attemptDir, inbox); next !== null; next = nextMessage(attemptDir, inbox))
        inbox.add(next);
    } catch (error) {
      if (!hasWarned)
        attempt.report.warn(`messages do not reach the agent: ${toPalisadeError(error).message}`);
      hasWarned = true;
    }
    if (inbox.through === told) return;
    try {
      tell(attemptDir, inbox.through);
      told = inbox.through;
    } catch (error) {
      if (!hasWarned) attempt.report.warn(`messages are not confirmed: ${toPalisadeError(error).message}`);
      hasWarned = true;
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

/** The message after the last one in the inbox, or null while there is none. */
function nextMessage(attemptDir: string, inbox: Inbox): InboxMessage | null {
  const path = join(attemptDir, ATTEMPT_FILES.messages, messageFile(inbox.through + 1));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const message = InboxMessage.parse(JSON.parse(text));
  if (message.seq !== inbox.through + 1) throw new TypeError('a message of another number');
  return message;
}

function tell(attemptDir: string, through: number): void {
  const draft = join(attemptDir, `.${ATTEMPT_FILES.delivered}`);
  writeFileSync(draft, String(through));
  renameSync(draft, join(attemptDir, ATTEMPT_FILES.delivered));
}

/**
 * Tells a coding agent where its messages come, because nothing else makes it look.
 *
 * @param path of the inbox as the agent sees it
 */
export function channelHelp(path: string): string {
  return [
    'While you work, people may send you messages.',
    `Each is a line of JSON with "id", "seq", "body" and "sent_at" at the end of the file ${path}; it is empty until one comes.`,
    'Read it before each larger step and before you end, and take what its "body" says into account as if it stood in your task. Do not write to the file.',
  ].join(' ');
}
