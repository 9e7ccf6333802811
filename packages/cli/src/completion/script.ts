import { type Declaration, flagName } from '../tree/declaration.ts';
import { globalFlagName, globalFlags, mutationFlags } from '../tree/global-flags.ts';
import { commands } from '../tree/tree.ts';

/*
 * The scripts hold the whole command tree as text and read run ids from the cache that commands leave
 * in `.palisade/cache/runs.tsv`. Completing starts no process of ours and uses no network.
 */

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

const visible = commands.filter((entry) => entry.hidden !== true);

/** The completion script of a shell, for both names of the command. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case 'bash':
      return bash();
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash()}`;
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

function bash(): string {
  const cases = visible.map(
    (entry) =>
      `    "${entry.path}") flags="${flagsOf(entry).join(' ')}"; wants=${takesRun(entry) ? 'run' : 'file'} ;;`,
  );
  const groupCases = [...groups()].map(([name, verbs]) => `    ${name}) words="${verbs.join(' ')}" ;;`);
  return `# completion of palisade and pal; put: source <(pal completion bash)
_palisade_runs() {
  local at=$PWD
  while [ -n "$at" ]; do
    if [ -r "$at/.palisade/cache/runs.tsv" ]; then cut -f1 "$at/.palisade/cache/runs.tsv"; return; fi
    at=\${at%/*}
  done
}
_palisade() {
  local current=\${COMP_WORDS[COMP_CWORD]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]}
  local words="" flags="" wants=""
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
  elif [ "$wants" = run ]; then
    COMPREPLY=($(compgen -W "$(_palisade_runs)" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _palisade palisade pal
`;
}

function fish(): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines: string[] = [];
  for (const name of ['palisade', 'pal']) {
    lines.push(`complete -c ${name} -f`);
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
      for (const [key, flag] of Object.entries(entry.flags))
        lines.push(
          `complete -c ${name} -n ${quote(seen)} -l ${flagName(key)} -d ${quote(flag.summary)}${flag.kind === 'boolean' ? '' : ' -r'}`,
        );
      if (takesRun(entry)) lines.push(`complete -c ${name} -n ${quote(seen)} -a '(__palisade_runs)'`);
    }
  }
  return `# completion of palisade and pal; put into ~/.config/fish/completions/pal.fish
function __palisade_runs
  set at $PWD
  while test -n "$at"
    if test -r "$at/.palisade/cache/runs.tsv"
      cat "$at/.palisade/cache/runs.tsv"
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
