import { readFileSync } from 'node:fs';
import { functionExecutor } from './function-executor.ts';

/** The executor as a module, for the command and for engines in processes of their own. */
export default functionExecutor('functions', {
  /** Counts the words of the input `text`. */
  async count({ inputs, output }) {
    const words = readFileSync(inputs['text'] ?? '', 'utf8')
      .split(/\s+/)
      .filter(Boolean);
    output('result.json', JSON.stringify({ words: words.length }));
    return `${words.length} words`;
  },
});
