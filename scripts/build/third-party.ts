import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** The licences of every foreign package that these modules come from. Throws for one that names none. */
export function thirdPartyNotices(moduleIds: readonly string[]): string {
  const homes = new Set(
    moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const notices = [...homes].map((home) => {
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(home, 'package.json'), 'utf8'),
    ) as Manifest;
    if (license === undefined) throw new Error(`${name} is bundled and names no licence`);
    const file = readdirSync(home).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
    const by = typeof author === 'string' ? author : author?.name;
    const text =
      file === undefined ? `Copyright ${by ?? 'its authors'}` : readFileSync(join(home, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Software by others that is part of this package.\n\n${notices.toSorted().join(`\n${'-'.repeat(80)}\n\n`)}`;
}
