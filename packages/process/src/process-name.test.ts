import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { briefName, nameProcess, ownName, signalNamed, verdictOn } from './index.ts';

const JUDGE = fileURLToPath(new URL('../test/judge-process.ts', import.meta.url));

function start(program: string, ...args: string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A living process behind `launcher`, its name, and its verdicts on the names it is given. */
async function judge(launcher: readonly string[], ...names: string[]) {
  const [program = process.execPath, ...args] = [...launcher, process.execPath, JUDGE, ...names];
  const child = start(program, ...args);
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await vi.waitFor(() => expect(text).toContain('\n'), 20_000);
  const said = JSON.parse(text) as { own: string; verdicts: string[] };
  const end = async (): Promise<void> => {
    child.stdin?.end();
    await once(child, 'exit');
  };
  return { ...said, end };
}

function works(...command: string[]): boolean {
  return spawnSync(command[0] ?? '', [...command.slice(1), 'true']).status === 0;
}

/** The name with one of its fields, counted from 0, replaced. */
function changed(name: string, field: number, value: string): string {
  return name
    .split('_')
    .map((old, i) => (i === field ? value : old))
    .join('_');
}

const [HOST, BOOT, PID_NAMESPACE, PID, START] = [0, 1, 2, 4, 5];

describe('in one place', () => {
  test('FF-061: two processes have different names, and each sees the other live', async () => {
    const other = await judge([], ownName());
    expect(other.verdicts).toEqual(['alive']);
    expect(other.own).not.toBe(ownName());
    expect(verdictOn(other.own)).toBe('alive');
    await other.end();
    expect(verdictOn(other.own)).toBe('dead');
  });

  test('FF-038: a pid that was given to another process names the dead one still', () => {
    const start = ownName().split('_')[START] ?? '';
    expect(verdictOn(changed(ownName(), START, String(Number(start) - 1)))).toBe('dead');
    expect(verdictOn(ownName())).toBe('alive');
  });

  test('a process that ended and was not collected by its parent is dead', async () => {
    const parent = start('sh', '-c', 'sleep 60 & echo $!; exec sleep 60');
    const [line] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const name = nameProcess(Number(line.toString()));
    if (name === null) throw new Error('the child did not start');
    expect(verdictOn(name)).toBe('alive');
    signalNamed(name, 'SIGKILL');
    await vi.waitFor(() => expect(verdictOn(name)).toBe('dead'), 30_000);
    signalNamed(name, 'SIGKILL');
  });

  test('for people a name is a pid, with a word when it is no pid of this place', () => {
    const pid = String(process.pid);
    expect(briefName(ownName())).toBe(pid);
    expect(briefName(changed(ownName(), HOST, 'n00'))).toBe(`${pid} elsewhere`);
    expect(briefName('here-4711')).toBe('here-4711');
  });

  test('what is no name is unknown', () => {
    for (const name of ['', 'elsewhere', changed(ownName(), PID, '0'), ownName().slice(0, 30)])
      expect(verdictOn(name)).toBe('unknown');
  });

  test.skipIf(!works('unshare', '--mount', '--', 'setpriv', '--reuid', '65534', '--'))(
    'a /proc that hides the processes of others proves no death',
    async () => {
      const hide =
        'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"';
      const launcher = ['unshare', '--mount', '--', 'sh', '-c', hide, 'sh'];
      const gone = start('cat');
      const name = nameProcess(gone.pid ?? 0) ?? '';
      gone.stdin?.end();
      await once(gone, 'exit');
      const blind = await judge(launcher, ownName(), name);
      expect(blind.verdicts).toEqual(['unknown', 'dead']);
    },
  );
});

describe('in different places', () => {
  const namespaces: readonly (readonly [string, readonly string[]])[] = [
    ['pid', ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--']],
    ['pid, with the /proc of the first', ['unshare', '--pid', '--fork', '--kill-child', '--']],
    ['time', ['unshare', '--time', '--boottime', '5000', '--fork', '--kill-child', '--']],
    ['host name', ['unshare', '--uts', '--', 'sh', '-c', 'hostname elsewhere && exec "$@"', 'sh']],
  ];
  for (const [kind, launcher] of namespaces) {
    test.skipIf(!works(...launcher))(
      `FF-038 FF-061: between namespaces (${kind}) neither judges the other, alive or not`,
      async () => {
        const inside = await judge(launcher, ownName());
        expect(inside.verdicts).toEqual(['unknown']);
        expect(verdictOn(inside.own)).toBe('unknown');
        await inside.end();
        expect(verdictOn(inside.own)).toBe('unknown');
      },
    );
  }

  test.skipIf(
    !works('bwrap', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--'),
  )('FF-038: the same pid in two containers of one name is two processes', async () => {
    const box = ['bwrap', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--'];
    const one = await judge(box);
    const other = await judge(box, one.own);
    expect(other.own.split('_')[PID]).toBe(one.own.split('_')[PID]);
    expect(other.verdicts).toEqual(['unknown']);
  });

  test('another host is unknown, whatever else agrees', () => {
    expect(verdictOn(changed(ownName(), HOST, 'm0123456789abcdef'))).toBe('unknown');
  });

  test('what ran before this machine was started is dead, if it can be told that it was this machine', () => {
    const before = changed(ownName(), BOOT, '00000000-0000-4000-8000-000000000000');
    const [host = '', , namespace] = ownName().split('_');
    const isMachine = host.startsWith('m') && namespace === '4026531836';
    expect(verdictOn(before)).toBe(isMachine ? 'dead' : 'unknown');
    expect(verdictOn(changed(before, PID_NAMESPACE, '4026532000'))).toBe('unknown');
    expect(verdictOn(changed(before, BOOT, ''))).toBe('unknown');
  });
});
