/** Statement texts are constants of the program, so this stays small. */
const rewritten = new Map<string, string>();

/**
 * `?` placeholders as `$1, $2, …`, remembered per text. Question marks inside string literals, quoted
 * names and comments stay.
 */
export function numberPlaceholders(sql: string): string {
  let out = rewritten.get(sql);
  if (out === undefined) {
    let count = 0;
    out = sql.replace(TOKEN, (token) => (token === '?' ? `$${++count}` : token));
    rewritten.set(sql, out);
  }
  return out;
}

/** A literal, a quoted name, a comment, or a placeholder. A doubled quote is two adjacent literals. */
const TOKEN = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;
