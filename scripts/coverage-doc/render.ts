import * as z from 'zod';

const Scope = z.strictObject({
  groups: z.array(
    z.strictObject({
      title: z.string(),
      rules: z.array(
        z.strictObject({
          id: z.string().regex(/^[A-Z]+-\d+$/),
          title: z.string(),
          /** Belongs to a surface that is not part of this release: `true`, or the reason where the rule does not say it. */
          later: z.union([z.literal(true), z.string().min(1)]).optional(),
          /** Decided differently, and how. */
          otherwise: z.string().min(1).optional(),
        }),
      ),
    }),
  ),
});
type Scope = z.infer<typeof Scope>;
type Rule = Scope['groups'][number]['rules'][number];

/** Parses the scope; an id that stands twice is an error. */
export function readScope(json: string): Scope {
  const scope = Scope.parse(JSON.parse(json));
  const seen = new Set<string>();
  for (const { id } of scope.groups.flatMap((group) => group.rules)) {
    if (seen.has(id)) throw new Error(`coverage-scope.json: ${id} stands twice`);
    seen.add(id);
  }
  return scope;
}

/** The document, from the scope and the test files that name each id. */
export function renderCoverage(scope: Scope, proofs: ReadonlyMap<string, ReadonlySet<string>>): string {
  const rules = scope.groups.flatMap((group) => group.rules);
  const proved = (id: string): boolean => proofs.has(id);
  const due = rules.filter((rule) => rule.later === undefined && rule.otherwise === undefined);
  const open = due.filter((rule) => !proved(rule.id));
  const count = (why: 'later' | 'otherwise'): number =>
    rules.filter((rule) => rule[why] !== undefined).length;
  const known = new Set(rules.map((rule) => rule.id));
  const beyond = [...proofs.keys()].filter((id) => !known.has(id)).sort();
  const lines = [
    '# Rules and the tests that prove them',
    '',
    'Written by `npm run coverage-doc` from the titles of the tests and from `docs/coverage-scope.json`; do not edit.',
    'A test that names a rule proves at least one case of it: this table says where to look, not that a rule is exhausted.',
    '',
    `Rules of this release: ${due.length}. Named by a test: ${due.length - open.length}. Without a test: ${open.length}. Of later surfaces: ${count('later')}. Decided differently: ${count('otherwise')}.`,
  ];
  for (const group of scope.groups) {
    lines.push('', `## ${group.title}`, '', '| rule | what it asks | tests |', '| --- | --- | --- |');
    for (const rule of group.rules)
      lines.push(`| ${rule.id} | ${rule.title} | ${cell(proofs.get(rule.id), rule)} |`);
  }
  lines.push('', '## Not covered yet', '');
  lines.push(...(open.length === 0 ? ['None.'] : open.map((rule) => `- ${rule.id} ${rule.title}`)));
  if (beyond.length > 0) {
    lines.push('', '## Named by tests beyond the scope', '', '| rule | tests |', '| --- | --- |');
    for (const id of beyond) lines.push(`| ${id} | ${cell(proofs.get(id), {})} |`);
  }
  return `${lines.join('\n')}\n`;
}

function cell(
  files: ReadonlySet<string> | undefined,
  { later, otherwise }: Pick<Rule, 'later' | 'otherwise'>,
): string {
  if (files !== undefined)
    return [...files]
      .sort()
      .map((file) => `\`${file}\``)
      .join('<br>');
  if (otherwise !== undefined) return `decided differently: ${otherwise}`;
  if (later === undefined) return '**none yet**';
  return later === true ? 'later' : `later: ${later}`;
}
