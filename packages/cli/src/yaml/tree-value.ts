import type { Place, Tree } from './yaml-tree.ts';

/** A tree as the value JSON would give. No name of a document reaches an object's prototype. */
export function treeValue(tree: Tree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'list':
      return tree.items.map(treeValue);
    default:
      return Object.fromEntries([...tree.members].map(([name, { value }]) => [name, treeValue(value)]));
  }
}

/** Where what a path names stands, or as much of the path as there is: the name of a member, the beginning of an item. */
export function placeOf(tree: Tree, path: readonly PropertyKey[]): Place {
  let at = tree.at;
  let here: Tree | undefined = tree;
  for (const part of path) {
    const next: { at: Place; value: Tree } | undefined = childOf(here, part);
    if (next === undefined) break;
    ({ at, value: here } = next);
  }
  return at;
}

/** What a path names; undefined when there is none. */
export function treeAt(tree: Tree, path: readonly PropertyKey[]): Tree | undefined {
  let here: Tree | undefined = tree;
  for (const part of path) here = here === undefined ? undefined : childOf(here, part)?.value;
  return here;
}

function childOf(tree: Tree, part: PropertyKey): { at: Place; value: Tree } | undefined {
  if (tree.kind === 'map') return tree.members.get(String(part));
  const item = tree.kind === 'list' ? tree.items[Number(part)] : undefined;
  return item === undefined ? undefined : { at: item.at, value: item };
}
