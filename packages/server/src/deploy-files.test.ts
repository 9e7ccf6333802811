import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SNAPSHOT_LIMITS } from './backup/take-snapshot.ts';

const root = new URL('../../../', import.meta.url).pathname;
const text = (path: string) => readFileSync(join(root, path), 'utf8');
const UNIT = 'deploy/systemd/palisade.service';
const BACKUP = 'deploy/systemd/palisade-backup.service';
const TIMER = 'deploy/systemd/palisade-backup.timer';
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Settings as `Name=value`, the last one where a name comes twice. */
const unit = (path = UNIT) =>
  new Map(
    text(path)
      .split('\n')
      .flatMap((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? [])
      .reduce<[string, string][]>(
        (pairs, word, i, all) => (i % 2 === 0 ? [...pairs, [word, all[i + 1] ?? '']] : pairs),
        [],
      ),
  );

it('AO-210 AO-211: every setting that the files of a service name exists, is documented, and none of them is a secret', () => {
  const sources = globSync('packages/{,providers/}*/src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map(text)
    .join('\n');
  const operating = text('docs/operating.md');
  for (const path of globSync('deploy/**/*', { cwd: root, withFileTypes: true })) {
    if (!path.isFile()) continue;
    const found = readFileSync(join(path.parentPath, path.name), 'utf8');
    for (const name of found.match(/\b(PALISADE|DOCKER)_[A-Z_]+\b/g) ?? []) {
      expect(sources, `${path.name}: ${name}`).toContain(name);
      expect(operating, `${path.name}: ${name}`).toContain(name);
    }
  }
  // What is set and not merely shown.
  const set = text('deploy/systemd/service.env.example').match(/^[A-Z_]+(?==)/gm) ?? [];
  expect(set.length).toBeGreaterThan(0);
  expect(set.filter((name) => /KEY$|TOKEN|PASSWORD|DATABASE_URL/.test(name))).toEqual([]);
});

it('AO-210: the unit has no rights to lose, keeps its state to itself and lets attempts live', () => {
  const settings = unit();
  expect(Object.fromEntries(settings)).toMatchObject({
    User: 'palisade',
    UMask: '0077',
    StateDirectoryMode: '0700',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    ProtectSystem: 'strict',
    KillMode: 'process',
  });
  expect(settings.get('ExecStart')).toMatch(/ serve --listen 127\.0\.0\.1:\d+ --behind-tls$/);
  expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(10);
});

it('AO-193: each hour a snapshot is made, by whom the server is, with no network and no more rights than it needs', () => {
  const settings = unit(BACKUP);
  const server = unit();
  for (const shared of ['User', 'Group', 'UMask', 'StateDirectoryMode', 'WorkingDirectory'])
    expect([shared, settings.get(shared)]).toEqual([shared, server.get(shared)]);
  expect(Object.fromEntries(settings)).toMatchObject({
    Type: 'oneshot',
    PrivateNetwork: 'yes',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    ProtectSystem: 'strict',
    // Longer than a backup takes until it gives up by itself.
    TimeoutStartSec: '50min',
  });
  expect(SNAPSHOT_LIMITS.deadlineMs).toBeLessThan(50 * 60_000);
  const [, repository = ''] = / backup --repository (\S+) /.exec(settings.get('ExecStart') ?? '') ?? [];
  expect(
    settings
      .get('StateDirectory')
      ?.split(' ')
      .map((name) => `/var/lib/${name}`),
  ).toEqual([settings.get('WorkingDirectory'), repository]);
  expect(Object.fromEntries(unit(TIMER))).toMatchObject({
    OnCalendar: '*-*-* *:00:00 UTC',
    RandomizedDelaySec: '60',
    Persistent: 'true',
  });
});

it.skipIf(!hasSystemd)('AO-210: systemd reads the units without a complaint', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-unit-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const unitPath of [UNIT, BACKUP, TIMER]) {
    // Programs that are not installed here are no fault of the unit.
    const path = join(directory, basename(unitPath));
    writeFileSync(path, text(unitPath).replace('/usr/bin/palisade', '/bin/true'));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    });
    const complaints = stderr.split('\n').filter((line) => line.includes('palisade'));
    expect({ unitPath, status, complaints }).toEqual({ unitPath, status: 0, complaints: [] });
    if (unitPath === TIMER) continue;
    const threshold = `--threshold=${unitPath === UNIT ? 55 : 30}`;
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', threshold, path], {
      encoding: 'utf8',
    });
    expect(security.status, security.stdout).toBe(0);
  }
});

it('the image is built of images by digest, runs as nobody, and stops as a server does', () => {
  const dockerfile = text('deploy/docker/Dockerfile');
  const lines = dockerfile.replaceAll('\\\n', ' ').split('\n');
  const instructions = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const known =
    /^(ARG|FROM|WORKDIR|COPY|RUN|USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT)\s|^\s+CMD\s/;
  expect(instructions.filter((line) => !known.test(line))).toEqual([]);
  const from = instructions.filter((line) => line.startsWith('FROM'));
  expect(from).toHaveLength(2);
  for (const line of from) expect(line).toMatch(/^FROM \$\{(NODE|BASE)\}/);
  expect(dockerfile.match(/@sha256:<digest>/g)).toHaveLength(2);
  const last = instructions.findLastIndex((line) => line.startsWith('USER'));
  expect(instructions[last]).toMatch(/^USER [1-9]\d*:[1-9]\d*$/);
  expect(instructions.slice(last).join('\n')).toContain('STOPSIGNAL SIGTERM');
  // A database or a key of somebody's own must not get into it.
  for (const path of ['.git', '.palisade', 'node_modules'])
    expect(text('.dockerignore').split('\n')).toContain(path);
});

it('the proxy passes streams on at once, and keeps the inside inside', () => {
  const caddy = text('deploy/caddy/Caddyfile');
  expect(caddy).toContain('flush_interval -1');
  expect(caddy).toMatch(/@inside path .*\/metrics/);
  expect(caddy.match(/\{/g)?.length).toBe(caddy.match(/\}/g)?.length);
});
