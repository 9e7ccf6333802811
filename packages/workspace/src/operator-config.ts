import { isUtf8 } from 'node:buffer';
import { PalisadeError } from '@palisade/contracts';
import type { Git } from './git.ts';
import { pathText } from './path-text.ts';

/** Four settings each have room in an environment. */
const MOST_DRIVERS = 1_000;

/**
 * Settings that disarm every filter program the repository's configuration names, so that asking
 * for its status runs nothing (FF-135). A file whose times changed is then compared by its raw
 * bytes: it may count as changed, never the reverse. Throws `requirements_unmet` for a name that
 * cannot be said to git.
 */
export async function neutralFilters(git: Git): Promise<[name: string, value: string][]> {
  const listed = await git.fields(['config', '-z', '--name-only', '--get-regexp', String.raw`^filter\.`], {
    accept: [0, 1],
  });
  const drivers = new Set<string>();
  for (const name of listed) {
    if (!isUtf8(name))
      throw new PalisadeError('requirements_unmet', `the name of the setting ${pathText(name)} is no text`, {
        why: 'the filter program it may name could not be kept from running',
        next: "remove it from the repository's git configuration",
      });
    const text = name.toString('utf8');
    const end = text.lastIndexOf('.');
    // A driver may have no name at all.
    if (end >= 'filter.'.length) drivers.add(text.slice(0, end));
  }
  if (drivers.size > MOST_DRIVERS)
    throw new PalisadeError('requirements_unmet', `the configuration names ${drivers.size} filter programs`, {
      why: 'so many cannot be kept from running',
      next: "remove them from the repository's git configuration",
    });
  return [...drivers].flatMap((driver): [string, string][] => [
    [`${driver}.clean`, ''],
    [`${driver}.smudge`, ''],
    [`${driver}.process`, ''],
    [`${driver}.required`, 'false'],
  ]);
}

/** Values of the configuration the operator's own git would use, global settings included. Names in lower case. */
export async function operatorValues(git: Git, names: readonly string[]): Promise<Map<string, string>> {
  const pattern = `^(${names.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')})$`;
  const found = await git
    .with({ readsGlobalConfig: true })
    .run(['config', '-z', '--get-regexp', pattern], { accept: [0, 1] });
  const values = new Map<string, string>();
  for (const entry of found.stdout.toString('utf8').split('\0')) {
    const end = entry.indexOf('\n');
    // A name without a value means true.
    if (entry !== '')
      values.set(end === -1 ? entry : entry.slice(0, end), end === -1 ? 'true' : entry.slice(end + 1));
  }
  return values;
}

/**
 * Paths of the work tree that the operator's configuration runs or includes: `core.hooksPath` and
 * `include.path`, relative to `topLevel` (FF-131).
 */
export async function executablePaths(git: Git, topLevel: string): Promise<string[]> {
  const found = await git
    .with({ readsGlobalConfig: true })
    .run(
      [
        'config',
        '-z',
        '--get-regexp',
        String.raw`^(core\.hookspath|include\.path|includeif\..*\.path|core\.fsmonitor)$`,
      ],
      {
        accept: [0, 1],
      },
    );
  const paths = new Set<string>();
  for (const entry of found.stdout.toString('utf8').split('\0')) {
    const value = entry.slice(entry.indexOf('\n') + 1);
    if (!entry.includes('\n') || value === '' || value.startsWith('~')) continue;
    if (!value.startsWith('/')) paths.add(value.replace(/^(\.\.?\/)+/, ''));
    else if (value.startsWith(`${topLevel}/`)) paths.add(value.slice(topLevel.length + 1));
  }
  return [...paths].map((path) => path.replace(/\/+$/, '')).filter((path) => path !== '');
}
