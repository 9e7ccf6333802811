import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from './place.ts';

describe('settings', () => {
  it('DI-260: a flag beats the environment, which beats the repository, the user and the default', async () => {
    using place = new Place({ runs: [] });
    const winner = async (args: string[] = [], env: Record<string, string> = {}): Promise<unknown> =>
      JSON.parse((await place.pal(['config', 'explain', 'color', '--json', ...args], { env })).stdout);
    expect(await winner()).toMatchObject({ value: 'auto' });
    mkdirSync(join(place.directory, '.config/palisade'), { recursive: true });
    writeFileSync(join(place.directory, '.config/palisade/config.toml'), '# mine\ncolor = "never"\n');
    expect(await winner()).toMatchObject({ value: 'never' });
    writeFileSync(join(place.directory, '.palisade.toml'), 'color = "always"\n');
    expect(await winner()).toMatchObject({ value: 'always' });
    expect(await winner([], { PALISADE_COLOR: 'never' })).toMatchObject({ value: 'never' });
    expect(await winner(['--color', 'auto'], { PALISADE_COLOR: 'never' })).toMatchObject({
      value: 'auto',
      layers: [{ source: 'flag', wins: true }, {}, {}, {}, {}],
    });
  });

  it('AO-026: a repository can set nothing that grants a permission or names an identity', async () => {
    for (const line of ['allow_network = true', 'sandbox = "process"', 'actor = "human:boss"']) {
      using place = new Place({ runs: [] });
      writeFileSync(join(place.directory, '.palisade.toml'), `${line}\n`);
      const { code, stderr } = await place.pal(['status']);
      expect(code).toBe(2);
      expect(stderr).toContain('cannot be set by a repository');
    }
  });

  it('DI-260 DI-194: a policy that cannot be read is refused when it is set, and doctor tells it', async () => {
    using place = new Place({ runs: [] });
    const policy = join(place.directory, 'policy.json');
    const env = { PALISADE_POLICY: policy };
    const doctor = async () => {
      const { checks } = JSON.parse((await place.pal(['doctor', '--json'], { env })).stdout) as {
        checks: { name: string; result: string; detail: string }[];
      };
      return checks.find(({ name }) => name === 'policy');
    };
    const set = () => place.pal(['config', 'set', 'policy', policy]);
    expect(await doctor()).toMatchObject({
      result: 'fail',
      detail: expect.stringContaining('is no file'),
    });
    expect(await set()).toMatchObject({ code: 2, stderr: expect.stringContaining('is no file') });
    expect((await place.pal(['config', 'get', 'policy'])).stdout.trim()).toBe('');
    writeFileSync(policy, JSON.stringify({ schema_version: 1 }), { mode: 0o600 });
    expect(await doctor()).toMatchObject({ result: 'ok' });
    expect((await set()).code).toBe(0);
  });

  it('DI-260: a mistake in the policy says who set it, and unsetting it is one command', async () => {
    using place = new Place({ runs: [] });
    const policy = join(place.directory, 'policy.json');
    writeFileSync(policy, JSON.stringify({ schema_version: 1 }), { mode: 0o600 });
    expect((await place.pal(['config', 'set', 'policy', policy])).code).toBe(0);
    writeFileSync(policy, JSON.stringify({ schema_version: 1, denied: [] }), { mode: 0o600 });
    const { stdout } = await place.pal(['doctor']);
    expect(stdout).toContain(`the policy ${policy} is not valid: (top): Unrecognized key: "denied"`);
    expect(stdout).toContain(`it is set in ${join(place.directory, '.config/palisade/config.toml')}`);
    expect((await place.pal(['config', 'unset', 'policy'])).code).toBe(0);
    expect((await place.pal(['config', 'get', 'policy'])).stdout.trim()).toBe('');
    expect((await place.pal(['doctor'])).stdout).not.toContain(policy);
  });

  it('DI-260: unsetting takes one line out of one file, keeps the rest, and says what decides then', async () => {
    using place = new Place({ runs: [] });
    const file = join(place.directory, '.palisade.toml');
    writeFileSync(file, '# ours\nutc = true # why\ncolor = "never"\n');
    const rehearsed = await place.pal(['config', 'unset', 'utc', '--repo', '--dry-run']);
    expect(rehearsed.stdout).toContain(`would take utc out of ${file}, then false`);
    expect(readFileSync(file, 'utf8')).toContain('utc = true');
    expect((await place.pal(['config', 'unset', 'utc', '--repo'])).stdout).toContain(
      `utc  taken out of ${file}, now false`,
    );
    expect(readFileSync(file, 'utf8')).toBe('# ours\ncolor = "never"\n');
    const absent = await place.pal(['config', 'unset', 'color']);
    expect(absent).toMatchObject({ code: 0, stdout: expect.stringContaining('color is not set in') });
    expect(absent.stderr).toContain(`${file} decides`);
  });

  it('DI-260: an unknown key is an error with the nearest name, and setting one keeps comments', async () => {
    using place = new Place({ runs: [] });
    const file = join(place.directory, '.palisade.toml');
    writeFileSync(file, 'colour = "never"\n');
    expect((await place.pal(['status'])).stderr).toContain('the nearest is "color"');
    writeFileSync(file, '# ours\nutc = false # why\n');
    expect((await place.pal(['config', 'set', 'color', 'never', '--repo'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe('# ours\nutc = false # why\ncolor = "never"\n');
  });
});
