import { PalisadeError } from '@palisade/contracts';

/*
 * The part of Mustache (mustache(5)) a prompt needs: `{{name}}`, `{{{name}}}` and `{{&name}}`, all
 * unescaped because a prompt is not HTML (DI-132); dotted names and `.`; sections `{{#name}}`,
 * inverted sections `{{^name}}`, comments. No partials, no delimiter changes, no lambdas: a template
 * can name data and nothing else. Values that are objects appear as JSON.
 */

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string }
  | {
      readonly kind: 'section';
      readonly name: string;
      readonly inverted: boolean;
      readonly body: readonly Node[];
    };

const TAG = /\{\{\{\s*([^{}]+?)\s*\}\}\}|\{\{\s*([#^/&!]?)\s*([^{}]*?)\s*\}\}/g;
const MAX_DEPTH = 50;

/**
 * Renders a template.
 *
 * @param view the data; the outermost object names resolve in
 * @returns the text and the names the template mentions
 * @throws PalisadeError `invalid_input` for sections that do not nest
 */
export function renderTemplate(
  template: string,
  view: unknown,
): { text: string; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const nodes = parse(template, names);
  return { text: render(nodes, [view]), names };
}

function parse(template: string, names: Set<string>): readonly Node[] {
  const root: Node[] = [];
  const open: { name: string; body: Node[] }[] = [{ name: '', body: root }];
  let at = 0;
  for (const match of template.matchAll(TAG)) {
    const body = open.at(-1)?.body ?? root;
    if (match.index > at) body.push({ kind: 'text', text: template.slice(at, match.index) });
    at = match.index + match[0].length;
    const sigil = match[2] ?? '';
    const name = match[1] ?? match[3] ?? '';
    if (sigil === '!') continue;
    if (sigil === '/') {
      const closed = open.pop();
      if (open.length === 0 || closed?.name !== name) throw unbalanced(name);
      continue;
    }
    names.add(name.split('.')[0] ?? name);
    if (sigil === '#' || sigil === '^') {
      if (open.length > MAX_DEPTH) throw unbalanced(name);
      const section: Node[] = [];
      body.push({ kind: 'section', name, inverted: sigil === '^', body: section });
      open.push({ name, body: section });
    } else body.push({ kind: 'value', name });
  }
  if (open.length > 1) throw unbalanced(open.at(-1)?.name ?? '');
  if (at < template.length) root.push({ kind: 'text', text: template.slice(at) });
  return root;
}

function render(nodes: readonly Node[], scopes: readonly unknown[]): string {
  let out = '';
  for (const node of nodes) {
    if (node.kind === 'text') {
      out += node.text;
      continue;
    }
    const value = lookUp(node.name, scopes);
    if (node.kind === 'value') {
      out += show(value);
      continue;
    }
    const isEmpty =
      value === undefined ||
      value === null ||
      value === false ||
      value === '' ||
      (Array.isArray(value) && value.length === 0);
    if (node.inverted) {
      if (isEmpty) out += render(node.body, scopes);
    } else if (Array.isArray(value)) {
      for (const element of value as unknown[]) out += render(node.body, [...scopes, element]);
    } else if (!isEmpty) out += render(node.body, [...scopes, value]);
  }
  return out;
}

function lookUp(name: string, scopes: readonly unknown[]): unknown {
  if (name === '.') return scopes.at(-1);
  const [first = '', ...rest] = name.split('.');
  for (let i = scopes.length - 1; i >= 0; i--) {
    const found = member(scopes[i], first);
    if (found !== undefined) return rest.reduce<unknown>(member, found);
  }
  return undefined;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function show(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

function unbalanced(name: string): PalisadeError {
  return new PalisadeError(
    'invalid_input',
    `the prompt template's section ${JSON.stringify(name)} is not balanced`,
  );
}
