import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Hash function of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256';

/** Hexadecimal digits of an object id. */
export const ID_LENGTH = { sha1: 40, sha256: 64 } as const satisfies Record<ObjectFormat, number>;

/** The object format an id belongs to. */
export function formatOf(oid: string): ObjectFormat {
  return oid.length === ID_LENGTH.sha256 ? 'sha256' : 'sha1';
}

/**
 * Attributes that make bytes bytes: no line-ending, encoding, ident or filter conversion and the
 * usual text/binary detection, whatever a `.gitattributes` of the work tree says. `info/attributes`
 * has the highest precedence (FF-002, FF-007, FF-009, FF-011, FF-016, FF-135).
 */
export const RAW_ATTRIBUTES =
  '* -text !eol !crlf !filter !ident !working-tree-encoding !diff !merge !whitespace !conflict-marker-size\n';

export interface GitFilesOptions {
  readonly format: ObjectFormat;
  /** Absolute paths of further object stores. */
  readonly alternates: readonly string[];
  /** Content of HEAD, e.g. `ref: refs/heads/work`. */
  readonly head: string;
  /** Lines of the configuration file after the format. */
  readonly config: readonly string[];
  readonly attributes: string;
}

/**
 * Writes a minimal git directory by hand. `git init` would copy the operator's templates and hooks.
 */
export async function writeGitFiles(gitDir: string, options: GitFilesOptions): Promise<void> {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'])
    await mkdir(join(gitDir, folder), { recursive: true });
  const sha256 = options.format === 'sha256';
  const config = [
    '[core]',
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    '\tbare = false',
    ...(sha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    ...options.config,
  ];
  await writeFile(join(gitDir, 'config'), `${config.join('\n')}\n`);
  await writeFile(join(gitDir, 'info/attributes'), options.attributes);
  if (options.alternates.length > 0) await writeAlternates(join(gitDir, 'objects'), options.alternates);
  await writeFile(join(gitDir, 'HEAD'), `${options.head}\n`);
}

/** Names further object stores for `objects`. A path with a newline or a leading quote is C-quoted, as git reads it. */
export async function writeAlternates(objects: string, paths: readonly string[]): Promise<void> {
  const lines = paths.map((path) =>
    /^["#]|\n/.test(path)
      ? `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
      : path,
  );
  await writeFile(join(objects, 'info/alternates'), `${lines.join('\n')}\n`);
}
