import { createHash } from 'node:crypto';
import { truncateText } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Embedder } from './embedder.ts';

/** Of one session; what is said beyond them has no vectors. */
const MAX_PIECES = 400;

/** A part of a session that has a vector of its own. */
export interface Piece {
  readonly text: string;
  /** Equal for equal texts. */
  readonly hash: string;
  /** Of the message it begins in. */
  readonly line: number;
}

/**
 * A session in pieces: what it is about, then what people and models said, each beginning a little before the last
 * one ends (WM-060). What tools gave is left out: it is most of the text and says least of the matter.
 */
export function piecesOf(database: MemoryDatabase, source: number, { piece }: Embedder): readonly Piece[] {
  const session = database.get<Record<string, string | null>>(
    'SELECT title, first_user_message, last_agent_message, cwd, git_branch, errors FROM sessions WHERE source = ?',
    source,
  );
  if (session === undefined) return [];
  const about = ['title', 'first_user_message', 'last_agent_message', 'cwd', 'git_branch']
    .flatMap((column) => session[column] ?? [])
    .join('\n');
  const pieces = [pieceOf(truncateText(about, piece.length), 1)];
  let text = '';
  const starts: { at: number; line: number }[] = [];
  for (const row of database.all<{ line: number; role: string; text: string }>(
    `SELECT line, role, text FROM messages WHERE source = ? AND role IN ('user', 'assistant') ORDER BY id`,
    source,
  )) {
    starts.push({ at: text.length, line: row.line });
    text += `${row.role}: ${row.text}\n`;
  }
  const step = piece.length - piece.overlap;
  for (let at = 0; at < text.length && pieces.length < MAX_PIECES; at += step) {
    const line = starts.findLast((start) => start.at <= at)?.line ?? 1;
    pieces.push(pieceOf(text.slice(at, at + piece.length).toWellFormed(), line));
    if (at + piece.length >= text.length) break;
  }
  return pieces;
}

function pieceOf(text: string, line: number): Piece {
  return { text, line, hash: createHash('sha256').update(text).digest('hex').slice(0, 32) };
}
