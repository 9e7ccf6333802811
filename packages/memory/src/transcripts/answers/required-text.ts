/**
 * Texts that everything that matches a regular expression has in it, as far as they are easily told; none when
 * that is in doubt. Only to look at fewer messages: each is still matched.
 */
export function requiredTexts(expression: string): readonly string[] {
  if (/\||\(\?|\)[*?{]/.test(expression)) return [];
  const runs: string[] = [];
  let run = '';
  const end = (): void => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < expression.length; at++) {
    const character = expression[at] ?? '';
    if (character === '\\') {
      const escaped = expression[++at] ?? '';
      // What is escaped and no letter or digit is itself; a class, a place or a code point is not told.
      if (/[A-Za-z0-9]/.test(escaped)) {
        end();
        if (/[uxcpPk]/.test(escaped)) return [];
      } else run += escaped;
    } else if (character === '[') {
      end();
      while (++at < expression.length && expression[at] !== ']') if (expression[at] === '\\') at++;
    } else if (/[*?{]/.test(character)) {
      run = [...run].slice(0, -1).join('');
      end();
      if (character === '{') while (++at < expression.length && expression[at] !== '}');
    } else if (/[.^$()+}]/.test(character)) end();
    else run += character;
  }
  end();
  return runs.filter((each) => each.length >= 3);
}
