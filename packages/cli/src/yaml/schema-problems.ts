import { formatPath, namesAt } from '@palisade/contracts';
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
    const known = namesAt(schema, treeValue(tree), path);
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
