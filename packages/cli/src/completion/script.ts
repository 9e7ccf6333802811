import { type Declaration, type Flags, flagName } from '../tree/declaration.ts';
import { settingKeys } from '../config/keys.ts';
import { globalFlagName, globalFlags, mutationFlags } from '../tree/global-flags.ts';
import { topicNames } from '../tree/topics.ts';
import { commands } from '../tree/tree.ts';

/*
 * The scripts hold the whole command tree as text and read run ids from the cache that commands leave
 * in `.palisade/cache/runs.tsv`. Completing starts no process of ours and uses no network. The cache of a
 * directory somebody else made is attacker-controlled, and shells expand what they complete from: only
 * lines that begin with an id are taken.
 */

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** A run id, as a regular expression of both `grep` and fish. */
const ID = '[A-Za-z0-9][A-Za-z0-9._-]*';

const visible = commands.filter((entry) => entry.hidden !== true);

/** The completion script of a shell, for both names of the command. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash('bash');
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash('zsh')}`;
    case 'fish':
      return fish();
    default:
      return powershell();
  }
}

function flagsOf(declaration: Declaration): string[] {
  return [
    ...Object.keys(declaration.flags).map((key) => `--${flagName(key)}`),
    ...(declaration.effect === 'mutation'
      ? Object.keys(mutationFlags).map((key) => `--${flagName(key)}`)
      : []),
    ...globalFlagWords,
  ];
}

const globalFlagWords = (Object.keys(globalFlags) as (keyof typeof globalFlags)[]).map(
  (key) => `--${globalFlagName(key)}`,
);

function firstWords(): string[] {
  return [...new Set(visible.map((entry) => entry.path.split(' ')[0] ?? ''))];
}

function groups(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path } of visible) {
    const [first = '', second] = path.split(' ');
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return found;
}

function takesRun(declaration: Declaration): boolean {
  return Object.values(declaration.args).some((spec) => spec.completes === 'run');
}

/** Words that an argument can be, known beforehand. */
function knownWords(declaration: Declaration): readonly string[] {
  return Object.values(declaration.args).flatMap(({ completes }) => {
    if (completes === 'key') return settingKeys.map(({ name }) => name);
    if (completes === 'topic') return [...topicNames, ...firstWords()];
    return completes === 'shell' ? shells : [];
  });
}

function bash(shell: 'bash' | 'zsh'): string {
  const cases = visible.map((entry) => {
    const offered = takesRun(entry) ? '$(_palisade_runs)' : knownWords(entry).join(' ');
    return `    "${entry.path}") flags="${flagsOf(entry).join(' ')}"; offered="${offered}" ;;`;
  });
  const groupCases = [...groups()].map(([name, verbs]) => `    ${name}) words="${verbs.join(' ')}" ;;`);
  return `# completion of palisade and pal; put: source <(pal completion ${shell})
_palisade_runs() {
  local at=$PWD
  while [ -n "$at" ]; do
    if [ -f "$at/.palisade/cache/runs.tsv" ]; then
      head -c 65536 "$at/.palisade/cache/runs.tsv" | cut -f1 | LC_ALL=C grep -x '${ID}'; return
    fi
    at=\${at%/*}
  done
}
_palisade() {
  local current=\${COMP_WORDS[COMP_CWORD]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]}
  local words="" flags="" offered=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firstWords().join(' ')}" -- "$current")); return
  fi
  case "$first" in
${groupCases.join('\n')}
  esac
  if [ -n "$words" ] && [ "$COMP_CWORD" -eq 2 ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current")); return
  fi
  case "$first\${words:+ $second}" in
${cases.join('\n')}
  esac
  if [ "\${current#-}" != "$current" ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
  fi
}
complete -o default -F _palisade palisade pal
`;
}

function fish(): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines: string[] = [];
  for (const name of ['palisade', 'pal']) {
    lines.push(`complete -c ${name} -n __fish_use_subcommand -f`);
    for (const word of firstWords()) lines.push(`complete -c ${name} -n __fish_use_subcommand -a ${word}`);
    for (const entry of visible) {
      const [first = '', second] = entry.path.split(' ');
      const seen =
        second === undefined
          ? `__fish_seen_subcommand_from ${first}`
          : `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`;
      if (second !== undefined)
        lines.push(
          `complete -c ${name} -n ${quote(`__fish_seen_subcommand_from ${first}`)} -a ${second} -d ${quote(entry.summary)}`,
        );
      const flags: Flags = { ...entry.flags, ...(entry.effect === 'mutation' ? mutationFlags : {}) };
      for (const [key, flag] of Object.entries(flags))
        lines.push(
          `complete -c ${name} -n ${quote(seen)} -l ${flagName(key)} -d ${quote(flag.summary)}${flag.kind === 'boolean' ? '' : ' -r'}`,
        );
      const known = knownWords(entry).join(' ');
      if (known !== '') lines.push(`complete -c ${name} -n ${quote(seen)} -f -a ${quote(known)}`);
      if (takesRun(entry)) lines.push(`complete -c ${name} -n ${quote(seen)} -a '(__palisade_runs)'`);
    }
  }
  return `# completion of palisade and pal; put into ~/.config/fish/completions/pal.fish
function __palisade_runs
  set at $PWD
  while test -n "$at"
    if test -f "$at/.palisade/cache/runs.tsv"
      string match -r '^${ID}\t[[:print:]]*$' <"$at/.palisade/cache/runs.tsv"
      return
    end
    set at (string replace -r '/[^/]*$' '' -- $at)
  end
end
${lines.join('\n')}
`;
}

function powershell(): string {
  const rows = visible.map(
    (entry) =>
      `  '${entry.path}' = @(${flagsOf(entry)
        .map((flag) => `'${flag}'`)
        .join(', ')})`,
  );
  return `# completion of palisade and pal; add to $PROFILE
$palisadeTree = @{
${rows.join('\n')}
}
Register-ArgumentCompleter -Native -CommandName palisade, pal -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() } | Where-Object { $_ -ne $word })
  $path = ($typed | Where-Object { -not $_.StartsWith('-') } | Select-Object -First 2) -join ' '
  $found = if ($word.StartsWith('-')) {
    foreach ($key in @($path, ($path -split ' ')[0])) { if ($palisadeTree.ContainsKey($key)) { $palisadeTree[$key]; break } }
  } else {
    $palisadeTree.Keys | Where-Object { $_.StartsWith($path) } | ForEach-Object { ($_.Substring($path.Length).Trim() -split ' ')[0] }
  }
  $found | Where-Object { $_ -like "$word*" } | Sort-Object -Unique | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_)
  }
}
`;
}
