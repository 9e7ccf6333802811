import { PalisadeError } from '@palisade/contracts';
import { shellWords } from '@palisade/contracts/shell-words';
import { type Memory, pathWithin } from '../open-memory.ts';
import { kindOf } from '../repository/file-content.ts';
import { SKIPPED } from '../repository/work-tree.ts';
import { type FileView, fileView, isInTree } from './file-view.ts';
import { noSuchFile } from './no-such-file.ts';

/**
 * The one file that a question is about, under the name it has now. Errors: `unsafe_path` for what is outside or git's own,
 * `invalid_input` for a folder, `not_found` for what is ignored, belongs to another repository, or is known neither to the index nor
 * to the disk (WM-022); each says what to ask instead.
 */
export function askedFile(memory: Memory, written: string): FileView {
  const path = pathWithin(memory, written);
  assertOwn(memory, path);
  if (kindOf(memory.repository, path) === 'folder')
    throw new PalisadeError('invalid_input', `${path} is a folder, and this is about one file`, {
      next: `pal repo preflight TASK --scope ${shellWords([path])}`,
    });
  const view = fileView(memory, path);
  const now = view.history?.path;
  if (view.isGone && now !== undefined && now !== path && isInTree(memory, now))
    return { ...fileView(memory, now), formerly: path };
  if (view.isGone || isInTree(memory, path)) return view;
  throw noSuchFile(memory, path);
}

/**
 * Errors: `unsafe_path` for what is git's own, `not_found` for what is ignored, lies behind a link or in another repository, or is one.
 */
export function assertOwn(memory: Memory, path: string): void {
  const { repository, tracked, changes } = memory;
  const parts = path.split('/');
  if (parts.some((part) => part.toLowerCase() === '.git'))
    throw new PalisadeError('unsafe_path', `${path} is git's own: it is no file of the repository`, {
      next: 'name a file of this repository',
    });
  for (const [at] of parts.entries()) {
    const above = parts.slice(0, at + 1).join('/');
    // Git lists a repository that is none of its submodules as one untracked folder.
    const isSubmodule = tracked.get(above)?.kind === 'submodule';
    if (isSubmodule || changes.some((change) => change.path === `${above}/`))
      throw new PalisadeError(
        'not_found',
        `${path} ${path === above ? 'is' : 'belongs to'} another repository${isSubmodule ? `, the submodule ${above}` : ''}`,
        { next: `ask in it: cd ${shellWords([above])}` },
      );
    if (above !== path && kindOf(repository, above) === 'link')
      throw new PalisadeError('not_found', `${path} is reached through ${above}, which is a link`, {
        next: 'name the file where it lies',
      });
  }
  const kind = kindOf(repository, path);
  if (kind === undefined || kind === 'folder' || tracked.has(path)) return;
  if (changes.some((change) => change.path === path)) return;
  throw new PalisadeError('not_found', `${path} is no file of this repository: git leaves it out`, {
    next: SKIPPED.test(path)
      ? 'name a file that people work on: what is installed or kept by a tool is none'
      : `git check-ignore -v ${shellWords([path])} says by which rule`,
  });
}
