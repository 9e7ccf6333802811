import { readFileSync } from 'node:fs';
import { schemaInWords } from './schema-in-words.ts';

/*
 * The API reference for people, made from `openapi.json` alone: what it does not say, this does not say either.
 */

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
}

type Content = Record<string, { readonly schema: object }>;

interface Described {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly $ref?: string; readonly content?: Content }>;
}

export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: {
    readonly responses: Record<string, { readonly description: string }>;
    readonly schemas: Record<string, object>;
  };
}

/** The reference as Markdown. */
export function apiReference(document: ApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      line: `${method.toUpperCase()} ${path}`,
      described,
    })),
  );
  const words = schemaInWords(document.components.schemas);
  const [first, ...others] = operations.map(({ described }) => refusalsOf(document, described));
  const always = (first ?? []).filter((each) => others.every((other) => other.includes(each)));
  const lines = [
    '# API reference',
    '',
    '<!-- Made from openapi.json by `npm run openapi`; a test fails while it says something else. -->',
    '',
    `Version ${document.info.version}. ${document.info.description} How requests are made, and what every refusal looks like: [server.md](server.md).`,
    'The same operations are tools over MCP and methods of the client, under the same names.',
    'In what follows `name?` may be left out, and what stands behind `//` are bounds.',
    '',
    `Every operation may refuse with ${always.join('; ')}; what else it may refuse with stands beside it.`,
  ];
  for (const tag of document.tags) {
    lines.push('', `## ${tag.name}`, '', `${tag.description}.`);
    for (const { line, described } of operations)
      if (described.tags[0] === tag.name) {
        lines.push(...section(words, line, described));
        const refusals = refusalsOf(document, described).filter((each) => !always.includes(each));
        if (refusals.length > 0) lines.push('', `Refusals: ${refusals.join('; ')}.`);
      }
  }
  return `${lines.join('\n')}\n`;
}

function section(words: (schema: object) => string, line: string, described: Described): string[] {
  const { operationId, summary, description, parameters = [], requestBody, responses } = described;
  const own = parameters.filter((each): each is Parameter => 'name' in each);
  const isRepeatable = own.length < parameters.length;
  const lines = ['', `### ${operationId}`, '', `\`${line}\``, ''];
  lines.push(`${summary}. ${description}${isRepeatable ? ' Needs an `Idempotency-Key`.' : ''}`);
  if (own.length > 0) {
    lines.push('', '| parameter | in | type | |', '|---|---|---|---|');
    for (const { name, in: place, required, description: about, schema } of own) {
      const type = words(schema)
        .replaceAll(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|');
      lines.push(`| \`${name}${required === true ? '' : '?'}\` | ${place} | \`${type}\` | ${about} |`);
    }
  }
  if (requestBody !== undefined) lines.push('', 'Body:', ...block(words, requestBody.content));
  const content = responses['200']?.content;
  if (content !== undefined) {
    const isStream = 'text/event-stream' in content;
    lines.push('', isStream ? 'Answer, an event stream of:' : 'Answer:', ...block(words, content));
  }
  return lines;
}

/** As `404 not_found`, in the order of their statuses. */
function refusalsOf({ components }: ApiDocument, { responses }: Described): string[] {
  return Object.entries(responses).flatMap(([status, { $ref = '' }]) => {
    const { description = '' } = components.responses[$ref.split('/').at(-1) ?? ''] ?? {};
    return description.split(', ').flatMap((code) => (code === '' ? [] : [`${status} \`${code}\``]));
  });
}

function block(words: (schema: object) => string, content: Content): string[] {
  const [first] = Object.values(content);
  return ['', '```ts', words(first?.schema ?? {}), '```'];
}

/** What the committed document says. */
export function apiReferenceOf(file: URL): string {
  return apiReference(JSON.parse(readFileSync(file, 'utf8')) as ApiDocument);
}
