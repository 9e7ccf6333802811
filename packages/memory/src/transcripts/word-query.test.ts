import { describe, expect, it } from 'vitest';
import { claude, TranscriptHome } from '../../test/transcript-home.ts';
import { searchTranscripts } from './answers/search.ts';

const SAID: Readonly<Record<string, string>> = {
  's-1': 'Mend the rounding of cents',
  's-2': 'Rename tax to duty',
  's-3': 'The rounding of the duty is off',
  's-4': 'Tax and tariff, rounded up; not more or less',
  's-5': 'calc.add takes the tariff',
  's-6': 'Nothing to see here',
};
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/\w+/g) ?? [];

async function home(): Promise<TranscriptHome> {
  const made = new TranscriptHome();
  for (const [id, text] of Object.entries(SAID))
    made.write(`.claude/projects/p/${id}.jsonl`, [claude('user', text, { session: id })]);
  await made.index();
  return made;
}

describe('NOT', () => {
  // What must be in a text, all of it or, when no text has all, some of it; and what must not be.
  it.each<[string, readonly string[], readonly string[]]>([
    ['rounding NOT duty', ['rounding'], ['duty']],
    ['tax tariff NOT duty', ['tax', 'tariff'], ['duty']],
    ['cents tariff NOT "calc add"', ['cents', 'tariff'], ['calc']],
    ['(cents OR tax) NOT (duty OR tariff)', ['cents', 'tax'], ['duty', 'tariff']],
    ['cents NOT duty AND tax NOT tariff', ['cents', 'tax'], ['duty', 'tariff']],
    ['tax/tariff: NOT duty', ['tax', 'tariff'], ['duty']],
    ['calc.add NOT duty', ['calc', 'add'], ['duty']],
    ['rounding NOT the', ['rounding'], ['the']],
  ])('WM-058: %s finds what has the words and nothing that it excludes', async (query, wanted, excluded) => {
    using made = await home();
    const { data } = searchTranscripts(made.database, { query, limit: 20 });
    const oracle = Object.keys(SAID).filter((id) => {
      const words = wordsOf(SAID[id] ?? '');
      return wanted.some((word) => words.includes(word)) && !excluded.some((word) => words.includes(word));
    });
    expect(data.map(({ session }) => session.id).toSorted()).toEqual(oracle);
  });

  it('operators are no words to find', async () => {
    using made = await home();
    const found = (query: string) =>
      searchTranscripts(made.database, { query, limit: 20 }).data.map(({ session }) => session.id);
    expect(found('cents OR zebra')).toEqual(['s-1']);
    expect(found('NOT duty')).toEqual([]);
    expect(found('"not more"')).toEqual(['s-4']);
  });
});
