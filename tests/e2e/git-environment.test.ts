import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, palisade, removeInstallation, until } from '../support/installation.ts';
import { planFile } from '../support/plan-file.ts';
import { running, uniqueSeconds } from '../support/processes.ts';

let scratch = '';
let root = '';
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'palisade-git-'));
  root = makeRepository({ 'a.txt': 'one\ntwo\n', 'dos.txt': 'one\r\ntwo\r\n' });
});
afterEach(() => {
  removeInstallation(root);
  rmSync(scratch, { recursive: true, force: true });
});

/** A program that leaves a mark when anybody runs it, and then never returns. */
function trap(name: string): { readonly path: string; readonly mark: string } {
  const [path, mark] = [join(scratch, name), join(scratch, `${name}.mark`)];
  writeFileSync(path, `#!/bin/sh\necho "$0 $*" >> '${mark}'\nexec sleep 3600\n`);
  chmodSync(path, 0o755);
  return { path, mark };
}

async function runPlan(cwd: string, env: Readonly<Record<string, string>>, command: string, run = 'r') {
  const plan = planFile(cwd, { items: [{ id: 'a', command, retry: { max_attempts: 1 } }] });
  const result = await palisade(cwd, ['run', plan, '--run-id', run, '--timeout', '40s'], env);
  expect([result.code, result.signal], result.stderr + result.stdout).toEqual([0, null]);
  const diff = await palisade(cwd, ['diff', run, '--raw'], env);
  expect(diff.code, diff.stderr).toBe(0);
  return diff.stdout;
}

describe('git around us', { timeout: 90_000 }, () => {
  it('FF-034: inherited git variables of another repository are neither followed nor touched', async () => {
    const other = makeRepository({ 'other.txt': 'other\n' });
    try {
      const before = [
        git(other, 'for-each-ref'),
        git(other, 'status', '--porcelain'),
        readFileSync(join(other, '.git/index')),
      ];
      const env = {
        GIT_DIR: join(other, '.git'),
        GIT_WORK_TREE: other,
        GIT_INDEX_FILE: join(other, '.git/index'),
        GIT_OBJECT_DIRECTORY: join(other, '.git/objects'),
        GIT_PREFIX: 'x/',
      };
      expect((await palisade(root, ['init'], env)).code).toBe(0);
      const diff = await runPlan(
        root,
        env,
        'env | grep ^GIT_DIR= && exit 1; git rev-parse --show-toplevel; echo three >> a.txt',
      );
      expect(diff).toContain('+three');
      const applied = await palisade(root, ['apply', 'r'], env);
      expect(applied.code, applied.stderr).toBe(0);
      expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
      expect([
        git(other, 'for-each-ref'),
        git(other, 'status', '--porcelain'),
        readFileSync(join(other, '.git/index')),
      ]).toEqual(before);
      expect(existsSync(join(other, '.palisade'))).toBe(false);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('FF-009 FF-027: line-ending settings and a signer that never returns change no byte and hold nothing up', async () => {
    const signer = trap('signer');
    const patches: string[] = [];
    for (const autocrlf of ['true', 'input', 'false']) {
      const home = join(scratch, `home-${autocrlf}`);
      mkdirSync(home);
      writeFileSync(
        join(home, '.gitconfig'),
        `[core]\n autocrlf = ${autocrlf}\n eol = crlf\n pager = ${signer.path}\n editor = ${signer.path}\n[commit]\n gpgsign = true\n[tag]\n gpgsign = true\n[gpg]\n program = ${signer.path}\n[diff]\n external = ${signer.path}\n[credential]\n helper = ${signer.path}\n`,
      );
      const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config') };
      patches.push(
        await runPlan(
          root,
          env,
          'sed -i s/two/TWO/ a.txt dos.txt; git -c user.name=a -c user.email=a@example.invalid commit -qam own',
          autocrlf,
        ),
      );
    }
    expect(new Set(patches).size).toBe(1);
    expect(patches[0]?.match(/^[-+][^-+]/gm)).toHaveLength(4);
    const applied = await palisade(root, ['apply', 'true'], { HOME: join(scratch, 'home-true') });
    expect(applied.code, applied.stderr).toBe(0);
    expect(readFileSync(join(root, 'dos.txt'), 'utf8')).toBe('one\r\nTWO\r\n');
    expect(existsSync(signer.mark)).toBe(false);
  });

  it('FF-135: configuration, hooks, filters and helpers an agent plants are never run on the host', async () => {
    const planted = trap('planted');
    // In the process sandbox the trap is in reach; only our own git may not run it.
    const command = `
      git config core.fsmonitor '${planted.path}'; git config core.hooksPath hooks; git config core.pager '${planted.path}'
      git config diff.external '${planted.path}'; git config core.sshCommand '${planted.path}'; git config core.editor '${planted.path}'
      git config filter.evil.clean '${planted.path}'; git config filter.evil.smudge '${planted.path}'; git config filter.evil.process '${planted.path}'
      git config filter.evil.required true; git config diff.evil.textconv '${planted.path}'; git config diff.evil.command '${planted.path}'
      git config merge.evil.driver '${planted.path}'; git config gpg.program '${planted.path}'; git config commit.gpgsign true
      git config core.alternateRefsCommand '${planted.path}'; git config uploadpack.packObjectsHook '${planted.path}'
      mkdir -p hooks .git/hooks; for h in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman pre-auto-gc post-applypatch pre-applypatch; do
        cp '${planted.path}' hooks/$h; cp '${planted.path}' .git/hooks/$h 2>/dev/null; done
      echo '* filter=evil diff=evil merge=evil' > .gitattributes; mkdir -p .git/info; echo '* filter=evil diff=evil' > .git/info/attributes
      mkdir -p sub && git -C sub init -q 2>/dev/null && git -C sub config core.fsmonitor '${planted.path}'
      echo three >> a.txt; echo done > done.txt; rm -f '${planted.mark}'`;
    const plan = planFile(root, {
      items: [
        { id: 'a', command },
        {
          id: 'b',
          command: 'echo four >> a.txt',
          needs: { w: { from: 'a', select: { kind: 'patch' }, apply: true } },
        },
      ],
    });
    const run = await palisade(root, [
      'run',
      plan,
      '--run-id',
      'r',
      '--sandbox',
      'process',
      '--timeout',
      '60s',
    ]);
    expect(run.code, run.stderr + run.stdout).toBe(0);
    for (const args of [
      ['diff', 'r'],
      ['show', 'r'],
      ['apply', 'r', '--dry-run'],
      ['verify', 'r'],
    ]) {
      const result = await palisade(root, args);
      expect(result.code, `${args.join(' ')} ${result.stderr}`).toBe(0);
    }
    const asked = await palisade(root, ['apply', 'r']);
    expect(asked.code).not.toBe(0);
    expect(asked.stderr).toMatch(/gitattributes|hooks/);
    expect((await palisade(root, ['apply', 'r', '--yes'])).code).toBe(0);
    expect((await palisade(root, ['apply', 'r', '--revert'])).code).toBe(0);
    expect(existsSync(planted.mark) ? readFileSync(planted.mark, 'utf8') : '').toBe('');
  });

  it('FF-026: adding everything to the index while agents run stages nothing of ours', async () => {
    const [one, two] = [uniqueSeconds(), uniqueSeconds()];
    expect((await palisade(root, ['init'])).code).toBe(0);
    const plan = planFile(root, {
      items: [one, two].map((s, i) => ({ id: `i${i}`, command: `echo x > new.txt; sleep ${s}` })),
    });
    expect((await palisade(root, ['run', plan, '--run-id', 'live', '--detach'])).code).toBe(0);
    await until('two workspaces', async () => running(one).length > 0 && running(two).length > 0);
    git(root, 'add', '-A');
    expect(git(root, 'status', '--porcelain', '--ignored')).toBe('!! .palisade/\n');
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(git(root, 'for-each-ref').trim().split('\n')).toHaveLength(1);
    expect((await palisade(root, ['cancel', 'live'])).code).toBe(0);
    expect((await palisade(root, ['watch', 'live'])).code).toBe(1);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('FF-169: project, HOME and TMPDIR with blanks, quotes, percent signs, umlauts and CJK', async () => {
    const name = `a b'c"d %s%20 $HOME ünï 日本語 (x) \u00e9;&`;
    const [project, home, temporary] = ['project', 'home', 'tmp'].map((kind) =>
      join(scratch, `${kind} ${name}`),
    ) as [string, string, string];
    for (const path of [project, home, temporary]) mkdirSync(path);
    git(project, 'init', '-q', '-b', 'main');
    mkdirSync(join(project, name));
    writeFileSync(join(project, name, 'file ü.txt'), 'one\n');
    git(project, 'add', '-A');
    git(project, 'commit', '-q', '-m', 'base');
    const env = { HOME: home, TMPDIR: temporary, XDG_CONFIG_HOME: join(home, '.config') };
    for (const sandbox of ['bubblewrap', 'process']) {
      const plan = planFile(project, {
        items: [
          {
            id: 'a',
            command:
              'mkdir -p outputs; pwd > outputs/pwd; for f in */*.txt; do echo two >> "$f"; done; echo t > "$TMPDIR/x"',
            verify: { command: 'grep -q two */*.txt' },
          },
        ],
      });
      const run = await palisade(project, ['run', plan, '--run-id', sandbox, '--sandbox', sandbox], env);
      expect(run.code, run.stderr + run.stdout).toBe(0);
    }
    expect((await palisade(join(project, name), ['apply', 'bubblewrap'], env)).code).toBe(0);
    expect(readFileSync(join(project, name, 'file ü.txt'), 'utf8')).toBe('one\ntwo\n');
    expect((await palisade(project, ['rerun', 'process'], env)).code).toBe(0);
    expect((await palisade(project, ['verify', 'bubblewrap'], env)).code).toBe(0);
    removeInstallation(project);
  });
});
