/**
 * The first name that appears twice in one object of a JSON text, or null. JSON.parse keeps the last of
 * them without a word, so that a reviewer and the program may read different values. The text must be
 * valid JSON; deep nesting is no danger, the walk keeps its own stack.
 */
export function duplicateKey(text: string): string | null {
  const names: (Set<string> | null)[] = [];
  // Strings, brackets and commas are all that matters; everything else of valid JSON lies between them.
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;
  let isName = false;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [word] = found;
    switch (word) {
      case '{':
        names.push(new Set());
        isName = true;
        break;
      case '[':
        names.push(null);
        isName = false;
        break;
      case '}':
      case ']':
        names.pop();
        isName = false;
        break;
      case ',':
        isName = names.at(-1) !== null;
        break;
      default: {
        const known = names.at(-1);
        if (!isName || known === null || known === undefined) break;
        const name = JSON.parse(word) as string;
        if (known.has(name)) return name;
        known.add(name);
        isName = false;
      }
    }
  }
  return null;
}
