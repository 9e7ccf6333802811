import { namesCredential } from '@palisade/contracts';
import type { Fields, TranscriptEvent } from '../events.ts';

/** A member that is a text with something in it. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

export function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text that is given plainly or as parts that have text; other parts, images above all, are left out. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .flatMap((part) => (typeof part === 'string' ? [part] : (text(fields(part)['text']) ?? [])))
    .join('\n');
}

/** A JSON value as text, without what its members' names call credentials. */
export function rendered(value: unknown): string {
  if (typeof value === 'string') return value;
  return (
    JSON.stringify(value, (name, member: unknown) =>
      typeof member === 'string' && namesCredential(name) ? '<redacted:member>' : member,
    ) ?? ''
  );
}

/** Blocks that a harness puts before or among what people say. */
const INJECTED =
  /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|skills_instructions|session_context|turn_aborted|system-reminder|local-command-(?:stdout|stderr|caveat)|command-(?:name|message|args)|collaboration_mode|INSTRUCTIONS)\b|# AGENTS\.md instructions|Caveat: The messages below were generated)/;

/** Whether a person did not write it although it is in a person's place (WM-053). */
export function isInjected(said: string): boolean {
  return INJECTED.test(said);
}

/** Tools that take a place to look in, not a file to read or write. */
const LOOKING = /^(?:grep|glob|ls|list|list_directory|search_file_content|find|view_directory)$/i;
const PATH_NAMES = ['file_path', 'filePath', 'notebook_path', 'absolute_path', 'path'] as const;
const COMMAND_NAMES = ['command', 'cmd'] as const;
const PATCHED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** What the call of a tool says: itself, the command it runs and the files it touches. */
export function callEvents(tool: string, input: unknown, id: string | undefined): TranscriptEvent[] {
  const given = fields(input);
  const events: TranscriptEvent[] = [
    { kind: 'message', message: { role: 'tool_call', text: `${tool} ${rendered(input)}`, id, tool } },
  ];
  for (const name of COMMAND_NAMES) {
    const command = given[name];
    const typed = Array.isArray(command)
      ? command.filter((word) => typeof word === 'string').join(' ')
      : text(command);
    if (typed !== undefined && typed !== '') events.push({ kind: 'command', text: typed });
  }
  if (!LOOKING.test(tool))
    for (const name of PATH_NAMES) {
      const path = text(given[name]);
      if (path !== undefined) events.push({ kind: 'file', path });
    }
  const patch =
    typeof input === 'string' ? input : (text(given['input']) ?? text(given['patch']) ?? text(given['cmd']));
  if (patch?.includes('*** ') === true)
    for (const [, path] of patch.matchAll(PATCHED))
      if (path !== undefined) events.push({ kind: 'file', path });
  return events;
}

/** JSON within a text, as calls of functions carry their arguments; the text itself when it is none. */
export function unquoted(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
