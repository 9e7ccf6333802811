import { truncateText } from '@palisade/contracts';

const TITLE_CHARS = 200;
/** The members of a tool's input that say best what it is about, best first. */
const TELLING = [
  'command',
  'cmd',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'text',
];

/** One line about a tool call or its result, for people: the most telling of its members, or all of it. */
export function toolTitle(value: unknown): string {
  return truncateText(tellingText(value).replaceAll(/\s+/g, ' ').trim(), TITLE_CHARS);
}

function tellingText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.slice(0, 4).map(tellingText).join(' ');
  if (typeof value !== 'object' || value === null) return '';
  const members = new Map(Object.entries(value));
  for (const name of TELLING) {
    const member: unknown = members.get(name);
    if (typeof member === 'string') return member;
  }
  return JSON.stringify(value).slice(0, TITLE_CHARS * 2);
}
