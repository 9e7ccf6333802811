import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type CliResult,
  makeRepository,
  palisade,
  removeInstallation,
  until,
} from '../support/installation.ts';
import { filesBelow } from '../support/canary-forms.ts';
import { planFile } from '../support/plan-file.ts';
import { enginesOf, type ProcessEntry, processTable, running, uniqueSeconds } from '../support/processes.ts';
import { type Battlefield, canary } from './battlefield.ts';

const AGENT = join(import.meta.dirname, 'agent');

/** What one attack came to. */
export interface Attack {
  readonly attack: string;
  readonly outcome: 'succeeded' | 'refused' | 'ended';
  readonly detail: string;
}

/** An installation with an operator's secrets, a run of somebody else's that is under way, and an agent that means harm. */
export interface HostileRun {
  readonly root: string;
  readonly cli: (...args: string[]) => Promise<CliResult>;
  /** Everything that would be a loss. */
  readonly secrets: readonly string[];
  /** By this in its arguments a process is known that the agent left behind. */
  readonly left: string;
  readonly decoy: ChildProcess;
  /** Runs the agent as the agent of an item. */
  attack(
    sandbox: string,
    node: string,
  ): Promise<{ readonly ended: CliResult; readonly attacks: readonly Attack[] }>;
  /** Runs the agent on the machine itself, where nothing protects. */
  control(): Promise<readonly Attack[]>;
  /** Lets the other run go on to its end; its patch. */
  finish(): Promise<string>;
  /** Everything the command printed. */
  readonly printed: readonly string[];
  close(): void;
}

/** Makes one, with the other run's agent at work in a sandbox of the same kind. */
export async function hostileRun(
  field: Battlefield,
  sandbox: string,
  env: Readonly<Record<string, string>>,
): Promise<HostileRun> {
  const agentFiles = readdirSync(AGENT).map((file) => [
    `agent/${file}`,
    readFileSync(join(AGENT, file), 'utf8'),
  ]);
  const root = makeRepository({
    'a.txt': 'zero\n',
    '.gitignore': 'private.env\n',
    ...Object.fromEntries(agentFiles),
  });
  const words = { token: canary(), input: canary(), file: canary(), engine: canary(), ignored: canary() };
  writeFileSync(join(root, 'private.env'), words.ignored);
  const operator = {
    HOME: field.home,
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    OPERATORS_TOKEN: words.engine,
    ...env,
  };
  const printed: string[] = [];
  const cli = async (...args: string[]): Promise<CliResult> => {
    const ended = await palisade(root, args, operator);
    printed.push(ended.stdout, ended.stderr);
    return ended;
  };
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  await done('init');
  mkdirSync(join(root, '.palisade'), { recursive: true });
  writeFileSync(join(root, '.palisade/token'), words.token);
  await done('secret', 'put', 'token', '--file', '.palisade/token');
  writeFileSync(join(root, '.palisade/token'), '');
  await done('env', 'register', 'keys', '--secret', 'TOKEN=secret:token');

  const marker = uniqueSeconds();
  const left = uniqueSeconds();
  const victim = {
    id: 'work',
    inputs: { env: 'keys', workerInput: { word: words.input } },
    command: `: ${marker}; echo ${words.file} > private.txt; until [ -e go-on ]; do sleep 0.2; done; rm go-on`,
  };
  const other = cli('run', planFile(root, { items: [victim] }), '--run-id', 'victim', '--sandbox', sandbox);
  const early = other.then((ended) => {
    throw new Error(`the other run ended early: ${ended.stdout}${ended.stderr}`);
  });
  const agent = await Promise.race([
    early,
    until('the other agent to work', async () =>
      agentsWith(marker).find((entry) => entry.environment.includes(words.token)),
    ),
  ]);
  early.catch(() => {});
  const [engine] = enginesOf(root);
  if (engine === undefined) throw new Error('there is no engine');
  // The engine makes it when there is trouble to tell of.
  writeFileSync(join(root, '.palisade/engine.log'), 'nothing yet\n', { flag: 'a' });
  // It has a file open that others may not read.
  const open = openSync(join(field.home, '.ssh/id_ed25519'), 'r');
  const decoy = spawn('/bin/sleep', ['999999'], {
    stdio: ['ignore', 'ignore', 'ignore', open],
    env: { TOKEN: field.secret },
  });
  closeSync(open);
  const workspace = workspaceOf(root);
  const secrets = [...Object.values(words), field.secret];
  const targets = {
    ...field,
    secrets: Object.fromEntries(
      [...Object.entries(words), ['field', field.secret] as const].map(([name, word]) => [
        hashOf(word),
        name,
      ]),
    ),
    files: { ...field.files, ...filesOf(root, workspace, words, env) },
    directories: {
      'home of the operator': { path: field.home, entry: '.ssh' },
      'the attempts of all': { path: join(workspace, '../..'), entry: attemptOf(workspace) },
      'home of root': { path: '/root', entry: readdirSync('/root')[0] },
    },
    network: { ...field.network, ...postgresOf(env) },
    write: {
      ...field.write,
      files: {
        'workspace of the other agent': join(workspace, 'private.txt'),
        'input of the other agent': join(workspace, '.palisade/input.json'),
        'log of the other attempt': join(workspace, '../output.log'),
        'log of the engine': join(root, '.palisade/engine.log'),
        'master key': join(root, '.palisade/master.key'),
        'repository of the operator': join(root, '.git/config'),
        'file of the operator': join(root, 'a.txt'),
        ...(env['PALISADE_DATABASE_URL'] === undefined && { database: join(root, '.palisade/palisade.db') }),
      },
      directories: {
        'workspace of the other agent': workspace,
        'directory of the other attempt': join(workspace, '..'),
        'hooks of the repository': join(root, '.git/hooks'),
        'objects of the repository': join(root, '.git/objects'),
        blobs: join(workspace, '../../../blobs'),
        'the system': '/usr/lib',
        settings: '/etc',
        'home of the operator': field.home,
        'temporary files of the machine': field.write.directory,
      },
      belowEngine: 'a.txt',
    },
    pids: { engine: engine.pid, worker: workerOf(agent), agent: agent.pid, decoy: decoy.pid },
    address: stackOf(decoy.pid ?? 0),
    marker: left,
  };
  return {
    root,
    cli,
    secrets,
    printed,
    left,
    decoy,
    async attack(name, node) {
      const item = {
        id: 'it',
        inputs: { workerInput: targets },
        command: `exec ${node} agent/main.mjs`,
        retry: { max_attempts: 1 },
      };
      const ended = await cli(
        'run',
        planFile(root, { items: [item] }, 'hostile.json'),
        '--run-id',
        'hostile',
        '--sandbox',
        name,
      );
      return { ended, attacks: attacksIn((await cli('logs', 'hostile/it')).stdout) };
    },
    async control() {
      const file = planFile(root, targets, 'targets.json');
      const own = join(root, '.palisade/control');
      mkdirSync(own);
      const child = spawn(process.execPath, [join(AGENT, 'main.mjs'), join(root, file)], {
        cwd: own,
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { PATH: process.env['PATH'], OPERATORS_TOKEN: words.engine },
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      await new Promise((resolve) => child.once('close', resolve));
      return attacksIn(text);
    },
    async finish() {
      writeFileSync(join(workspace, 'go-on'), '');
      const { code, stdout, stderr } = await other;
      if (code !== 0) throw new Error(`the other run failed: ${stdout}${stderr}`);
      return done('diff', 'victim', '--raw');
    },
    close() {
      decoy.kill('SIGKILL');
      removeInstallation(root);
    },
  };
}

function filesOf(
  root: string,
  workspace: string,
  words: Readonly<Record<'file', string>>,
  env: Readonly<Record<string, string>>,
): Record<string, { path: string; sha256?: string }> {
  const blobs = [...filesBelow(join(workspace, '../../../blobs'))];
  const blob = blobs.find((path) => readFileSync(path).includes(words.file)) ?? blobs[0];
  if (blob === undefined) throw new Error('there are no blobs');
  return {
    'workspace of the other agent': { path: join(workspace, 'private.txt') },
    'input of the other agent': { path: join(workspace, '.palisade/input.json') },
    'order of the other attempt': { path: join(workspace, '../spec.json') },
    'log of the other attempt': { path: join(workspace, '../output.log') },
    'a blob': { path: blob },
    'master key': { path: join(root, '.palisade/master.key') },
    'signing key': { path: join(root, '.palisade/signer.key') },
    'log of the engine': { path: join(root, '.palisade/engine.log') },
    'file of the operator that git ignores': { path: join(root, 'private.env') },
    'configuration of the repository': { path: join(root, '.git/config') },
    'passwords of the machine': { path: '/etc/shadow', sha256: hashOf(readFileSync('/etc/shadow')) },
    'users of the machine': { path: '/etc/passwd', sha256: hashOf(readFileSync('/etc/passwd')) },
    ...(env['PALISADE_DATABASE_URL'] === undefined && {
      database: { path: join(root, '.palisade/palisade.db') },
    }),
  };
}

function postgresOf(env: Readonly<Record<string, string>>): object {
  const url = env['PALISADE_DATABASE_URL'];
  if (url === undefined) return {};
  const { hostname: host, port, username: user, pathname } = new URL(url);
  const query = "SELECT database_to_xml(true, false, '')";
  return { postgres: { host, port: Number(port), user, database: pathname.slice(1), query } };
}

/** The innermost processes with a marker in their arguments. */
function agentsWith(marker: string): ProcessEntry[] {
  return running(marker).filter(
    (entry) => !/^(?:\S*\/)?(?:bwrap|prlimit|setpriv|nsenter) /.test(entry.command),
  );
}

function workerOf(agent: ProcessEntry): number {
  const attempt = /^PALISADE_ATTEMPT_ID=(.*)$/m.exec(agent.environment)?.[1] ?? '';
  const worker = processTable().find(
    ({ command }) => command.includes('worker-process') && command.includes(attempt),
  );
  if (worker === undefined) throw new Error('the other agent has no worker');
  return worker.pid;
}

function workspaceOf(root: string): string {
  const found = [...filesBelow(join(root, '.palisade/planes'))].find((path) =>
    path.endsWith('/workspace/private.txt'),
  );
  if (found === undefined) throw new Error('the other agent has no workspace');
  return join(found, '..');
}

function attemptOf(workspace: string): string {
  return workspace.split('/').at(-2) ?? '';
}

/** An address of the process that is certainly there. */
function stackOf(pid: number): string {
  const maps = readFileSync(`/proc/${pid}/maps`, 'utf8');
  const end = /^[0-9a-f]+-([0-9a-f]+) .*\[stack\]$/m.exec(maps)?.[1] ?? '0';
  return `0x${(BigInt(`0x${end}`) - 4_096n).toString(16)}`;
}

function attacksIn(text: string): Attack[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{"attack"'))
    .map((line) => JSON.parse(line) as Attack);
}

function hashOf(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
