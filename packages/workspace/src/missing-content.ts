import type { Git } from './git.ts';
import { pathText } from './path-text.ts';
import { parseTree } from './tree-entry.ts';

/** Most `.gitattributes` files read; a repository with more is told so. */
const MAX_ATTRIBUTE_FILES = 200;

/**
 * What a full checkout would have and a workspace does not (FF-033). A workspace holds exactly the
 * stored bytes: submodules stay empty, and content that a checkout would convert (filters such as
 * LFS, CRLF line endings, other encodings, ident) stays as it is stored.
 */
export async function findMissing(git: Git, commit: string): Promise<string[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit]);
  const missing: string[] = [];
  const attributeFiles: { oid: string; path: string }[] = [];
  for (const entry of parseTree(stdout)) {
    if (entry.mode === '160000') missing.push(`submodule ${pathText(entry.path)} will be empty`);
    else if (entry.mode !== '120000' && /(^|\/)\.gitattributes$/.test(entry.path.toString('latin1')))
      attributeFiles.push({ oid: entry.oid, path: pathText(entry.path) });
  }
  for (const file of attributeFiles.slice(0, MAX_ATTRIBUTE_FILES)) {
    const text = (await git.run(['cat-file', 'blob', file.oid])).stdout.toString('utf8');
    for (const line of text.split('\n')) {
      const conversion = conversionOf(line);
      if (conversion !== null)
        missing.push(
          `${file.path}: ${line.trim().split(/\s+/)[0] ?? ''} will be as stored, without ${conversion}`,
        );
    }
  }
  if (attributeFiles.length > MAX_ATTRIBUTE_FILES)
    missing.push(
      `${attributeFiles.length - MAX_ATTRIBUTE_FILES} further .gitattributes files were not examined`,
    );
  return missing;
}

function conversionOf(line: string): string | null {
  if (line.trimStart().startsWith('#')) return null;
  const attributes = line.trim().split(/\s+/).slice(1);
  for (const attribute of attributes) {
    if (attribute.startsWith('filter=')) return `the ${attribute.slice('filter='.length)} filter`;
    if (attribute.startsWith('working-tree-encoding='))
      return `conversion to ${attribute.slice('working-tree-encoding='.length)}`;
    if (attribute === 'eol=crlf') return 'CRLF line endings';
    if (attribute === 'ident') return 'ident expansion';
  }
  return null;
}
