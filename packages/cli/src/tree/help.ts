import { type Argument, type Declaration, type Flag, type Flags, flagName } from './declaration.ts';
import { globalFlagName, globalFlags, mutationFlags } from './global-flags.ts';
import { sections } from './tree.ts';

/** The overview that bare `pal --help` prints. */
export function overview(): string {
  const lines = ['palisade (pal): run plans of agent work in sealed sandboxes, and prove what happened', ''];
  for (const [heading, list] of sections) {
    lines.push(heading);
    for (const entry of list) {
      if (entry.hidden !== true) lines.push(`  ${entry.path.padEnd(20)} ${entry.summary}`);
    }
    lines.push('');
  }
  lines.push(
    'bare pal shows what runs and what just ended',
    'pal help COMMAND explains one; topics: exit-codes, env, json, agents',
  );
  return `${lines.join('\n')}\n`;
}

/** Full help of one command. */
export function commandHelp(declaration: Declaration): string {
  const lines = [`usage: pal ${declaration.path}${usage(declaration.args)} [flags]`, '', declaration.summary];
  if (declaration.notes !== undefined) lines.push(declaration.notes);
  const args = Object.entries(declaration.args);
  if (args.length > 0) {
    lines.push('', 'arguments');
    for (const [name, spec] of args) lines.push(`  ${name.toUpperCase().padEnd(28)} ${spec.summary}`);
  }
  const own: Flags = {
    ...declaration.flags,
    ...(declaration.effect === 'mutation' ? mutationFlags : {}),
  };
  if (Object.keys(own).length > 0) {
    lines.push('', 'flags');
    for (const [key, flag] of Object.entries(own)) lines.push(flagLine(flagName(key), flag));
  }
  lines.push('', 'flags of every command');
  for (const key of Object.keys(globalFlags) as (keyof typeof globalFlags)[])
    lines.push(flagLine(globalFlagName(key), globalFlags[key]));
  return `${lines.join('\n')}\n`;
}

/** The commands of a group such as `plan`, or undefined when there is none of that name. */
export function groupHelp(group: string): string | undefined {
  const members = sections.flatMap(([, list]) =>
    list.filter((entry) => entry.path.startsWith(`${group} `) && entry.hidden !== true),
  );
  if (members.length === 0) return undefined;
  return `${members.map((entry) => `pal ${entry.path.padEnd(20)} ${entry.summary}`).join('\n')}\n`;
}

function usage(args: Readonly<Record<string, Argument>>): string {
  return Object.entries(args)
    .map(([name, { presence }]) => {
      const upper = name.toUpperCase();
      if (presence === 'required') return ` ${upper}`;
      return presence === 'optional' ? ` [${upper}]` : ` [${upper}...]`;
    })
    .join('');
}

function flagLine(name: string, flag: Flag): string {
  const short = flag.short === undefined ? '    ' : `-${flag.short}, `;
  const value = name === 'json' ? '[=FIELDS]' : flag.value === undefined ? '' : ` ${flag.value}`;
  const left = `${short}--${name}${value}`;
  return left.length > 28
    ? `  ${left}\n  ${' '.repeat(28)} ${flag.summary}`
    : `  ${left.padEnd(28)} ${flag.summary}`;
}
