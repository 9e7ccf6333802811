import ts from 'typescript';

/** Ids of rules as titles carry them. */
const RULE = /\b(?:AC|AO|AU|D|DI|EX|FF|L|WM)-\d+\b/g;

const TITLED = new Set(['describe', 'it', 'test']);
const SWITCHED_OFF = new Set(['skip', 'todo']);

/** The ids named in titles of suites and tests of one source file, in order and each once. */
export function namedRules(fileName: string, source: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const names = calledNames(node.expression);
      if (TITLED.has(names[0] ?? '')) {
        if (names.some((name) => SWITCHED_OFF.has(name))) return;
        for (const id of literalText(node.arguments[0]).match(RULE) ?? []) found.add(id);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, false));
  return found;
}

/** `it.skipIf(x).each(y)` → it, skipIf, each; `suite.it` → it: an object that carries the functions is looked through. */
function calledNames(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isCallExpression(callee)) return calledNames(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return calledNames(callee.tag);
  if (ts.isPropertyAccessExpression(callee)) {
    const before = calledNames(callee.expression);
    return TITLED.has(before[0] ?? '') ? [...before, callee.name.text] : [callee.name.text];
  }
  return [];
}

/** The literal parts of a title, whatever is computed in between. */
function literalText(title: ts.Expression | undefined): string {
  if (title === undefined) return '';
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title))
    return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)].join(' … ');
  if (ts.isBinaryExpression(title)) return `${literalText(title.left)}${literalText(title.right)}`;
  return '';
}
