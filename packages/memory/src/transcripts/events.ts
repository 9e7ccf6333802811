/*
 * What a record of a transcript says, whoever wrote it. Texts are as they are written: they are redacted and
 * shortened once, where they are kept.
 */

/** The agent programs whose histories are read. */
export const HARNESSES = ['claude-code', 'codex', 'gemini-cli', 'copilot', 'opencode'] as const;
export type Harness = (typeof HARNESSES)[number];

export type MessageRole =
  | 'user'
  | 'assistant'
  | 'thinking'
  | 'tool_call'
  | 'tool_result'
  | 'title'
  | 'omitted';

/** What is known of a session as a whole; later records say it anew. */
export interface SessionFacts {
  readonly id: string;
  /** The session that this is a side conversation of. */
  readonly parent: string;
  /** Which side conversation of its parent. */
  readonly agent: string;
  readonly title: string;
  readonly cwd: string;
  /** Through what it was started, e.g. `cli` or `exec`. */
  readonly client: string;
  readonly modelProvider: string;
  readonly model: string;
  readonly version: string;
  readonly branch: string;
  readonly origin: string;
  readonly status: 'seen' | 'complete' | 'aborted';
  /** The turn, or else the session, that answers without an id are of: a copy of them in another file names the same. */
  readonly countedIn: string;
}

export interface Message {
  readonly role: MessageRole;
  readonly text: string;
  /** The provider's id; by it a message is the same in whatever file it is (FF-148, FF-149). */
  readonly id?: string | undefined;
  /** Of a call and of its result. */
  readonly tool?: string | undefined;
  /** Of a result: whether the harness itself says that it failed. */
  readonly isError?: boolean | undefined;
  /** Where a harness logs the same message in several ways: which of them this is (D-07). */
  readonly channel?: string;
}

export interface Tokens {
  /** Without those from the cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * Tokens of one answer of a model: with the provider's id of it, or where a harness tells none with what was counted so far, this
 * answer included, by which an answer that is told again is known.
 */
export type Usage = Tokens & { readonly model?: string | undefined } & (
    | { readonly id: string; readonly soFar?: undefined }
    | { readonly soFar: string }
  );

export type TranscriptEvent =
  | {
      readonly kind: 'session';
      readonly facts: { readonly [K in keyof SessionFacts]?: SessionFacts[K] | undefined };
    }
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string };

/** A record of any transcript: attacker-controlled, of any form. */
export type Fields = Readonly<Record<string, unknown>>;

/** How the transcripts of one harness are read. */
export interface HarnessReader {
  readonly harness: Harness;
  /** Whether this harness, and no other, writes such a record. */
  claims(record: Fields): boolean;
  /** What a record says; undefined when it is of no known kind. Nothing may be said of one that is known. */
  read(record: Fields): readonly TranscriptEvent[] | undefined;
  /** From the beginning of a line, whether it says nothing that is kept, so that it is not parsed. */
  isSilent?(head: string): boolean;
  /** The records of a history that is one JSON document. */
  unpack?(document: Fields): readonly Fields[];
}
