import { formatPath } from '@palisade/contracts';
import type * as z from 'zod';
import { foreignLine } from '../output/foreign-text.ts';
import { nearest } from '@palisade/contracts/nearest';
import { placeOf, treeAt, treeValue } from './tree-value.ts';
import type { Place, Tree } from './yaml-tree.ts';

/** A problem of a document, where it stands. */
export interface Problem {
  readonly at: Place;
  /** What is meant there, such as `agents[2].run`. */
  readonly path: string;
  readonly message: string;
}

type Issue = z.core.$ZodIssue;

/**
 * Every reason for which a document does not fit a schema, with its place. An unknown name is told with
 * the nearest that is known there.
 */
export function schemaProblems(schema: z.ZodType, tree: Tree): readonly Problem[] {
  const result = schema.safeParse(treeValue(tree));
  return result.success ? [] : result.error.issues.flatMap((issue) => problemsOf(issue, schema, tree));
}

function problemsOf(issue: Issue, schema: z.ZodType, tree: Tree): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(schema, path, tree);
    return issue.keys.map((key) => {
      const meant = nearest(key, known);
      const hint = meant === undefined ? '' : `; the nearest is "${meant}"`;
      return problem(tree, [...path, key], `is not known here${hint}`);
    });
  }
  const isMissing = treeAt(tree, path) === undefined;
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) {
    const choices = ('options' in issue ? (issue.options ?? []) : []).map(String).join(', ');
    return [problem(tree, path, `${isMissing ? 'is missing: ' : 'must be '}one of ${choices}`)];
  }
  return [problem(tree, path, isMissing ? 'is missing' : messageOf(issue))];
}

function messageOf(issue: Issue): string {
  const { message } = issue;
  return /^[A-Z][a-z]/.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
}

/** A problem of what a path names. */
export function problem(tree: Tree, path: readonly PropertyKey[], message: string): Problem {
  return { at: placeOf(tree, path), path: foreignLine(formatPath(path)), message };
}

/** What the parts of a zod schema that matter here look like. */
interface Looked {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
  readonly values?: ReadonlySet<unknown>;
  readonly unwrap?: () => z.ZodType;
}

/** The schema of what a path names: of a choice, the one that the document made. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[], tree: Tree): z.ZodType | undefined {
  let here: z.ZodType | undefined = chosen(schema, tree);
  for (const [depth, part] of path.entries()) {
    const { shape, element, valueType } = (here ?? {}) as Looked;
    const next: z.ZodType | undefined = shape?.[String(part)] ?? element ?? valueType;
    here = next === undefined ? undefined : chosen(next, treeAt(tree, path.slice(0, depth + 1)));
  }
  return here;
}

function chosen(schema: z.ZodType, tree: Tree | undefined): z.ZodType {
  const looked = schema as Looked;
  if (
    looked.shape === undefined &&
    looked.element === undefined &&
    looked.options === undefined &&
    looked.unwrap !== undefined
  )
    return chosen(looked.unwrap(), tree);
  if (looked.options === undefined) return schema;
  const given = tree === undefined ? undefined : treeValue(tree);
  const fits = (option: z.ZodType): boolean =>
    Object.entries((option as Looked).shape ?? {}).some(
      ([name, member]) =>
        (member as Looked).values?.has(
          typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined,
        ) === true,
    );
  return looked.options.find(fits) ?? schema;
}

function namesAt(schema: z.ZodType, path: readonly PropertyKey[], tree: Tree): readonly string[] {
  return Object.keys((schemaAt(schema, path, tree) as Looked | undefined)?.shape ?? {});
}
