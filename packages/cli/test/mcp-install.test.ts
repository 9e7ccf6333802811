import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { furnished } from './cases.ts';

const SERVER = 'https://palisade.example';
const TOKEN = 'pal_canary_of_a_token';

function place() {
  const made = furnished();
  const home = mkdtempSync(join(tmpdir(), 'palisade-clients-'));
  onTestFinished(() => {
    made[Symbol.dispose]();
    rmSync(home, { recursive: true, force: true });
  });
  const env = { HOME: home, CODEX_HOME: join(home, 'codex'), PALISADE_TOKEN: TOKEN, PALISADE_SERVER: SERVER };
  const install = (client: string, ...more: string[]) =>
    made.pal(['mcp', 'install', client, ...more], { env });
  return { home, env, install, pal: made.pal.bind(made), in: (name: string) => join(made.directory, name) };
}
const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('pal mcp install', () => {
  it('asks for a credential of the project that is chosen', async () => {
    const at = place();
    expect((await at.install('codex')).stderr).toMatch(/^next: .*pal principal create NAME$/m);
    const chosen = await at.install('codex', '--project', 'web-shop');
    expect(chosen.stderr).toMatch(/^next: .*pal principal create NAME --only-project web-shop$/m);
    // Repeated it changes nothing, and says so.
    expect(chosen.stdout).toMatch(/ {2}unchanged$/m);
    expect((await at.install('cursor')).stdout).not.toContain('unchanged');
  });

  it('AO-128: writes the address and the name of a variable for each client, and never a token', async () => {
    const at = place();
    expect((await at.install('claude-code')).code).toBe(0);
    expect(json(at.in('.mcp.json'))).toEqual({
      mcpServers: {
        palisade: {
          type: 'http',
          url: `${SERVER}/mcp`,
          headers: { Authorization: 'Bearer ${PALISADE_TOKEN}' },
        },
      },
    });
    expect((await at.install('cursor')).code).toBe(0);
    expect(json(at.in('.cursor/mcp.json'))).toEqual({
      mcpServers: {
        palisade: { url: `${SERVER}/mcp`, headers: { Authorization: 'Bearer ${env:PALISADE_TOKEN}' } },
      },
    });
    expect((await at.install('codex')).code).toBe(0);
    expect(readFileSync(join(at.home, 'codex/config.toml'), 'utf8')).toBe(
      `[mcp_servers.palisade]\nurl = "${SERVER}/mcp"\nbearer_token_env_var = "PALISADE_TOKEN"\n`,
    );
    expect(() =>
      execFileSync('grep', ['-r', TOKEN, at.in('.mcp.json'), at.in('.cursor'), join(at.home, 'codex')]),
    ).toThrow();
  });

  it('leaves everything else in the file as it is, is repeatable, and with --dry-run writes nothing', async () => {
    const at = place();
    writeFileSync(at.in('.mcp.json'), '{"mcpServers":{"other":{"command":"x"}},"more":1}');
    mkdirSync(join(at.home, 'codex'));
    const toml = '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "x" # y';
    writeFileSync(join(at.home, 'codex/config.toml'), toml);
    const dry = await at.install('codex', '--dry-run');
    expect(dry.stdout).toContain('would write');
    expect(dry.stdout).toContain('[mcp_servers.palisade]');
    expect(readFileSync(join(at.home, 'codex/config.toml'), 'utf8')).toBe(toml);
    for (const client of ['claude-code', 'codex', 'claude-code', 'codex'])
      expect((await at.install(client)).code).toBe(0);
    expect(json(at.in('.mcp.json'))).toMatchObject({
      more: 1,
      mcpServers: { other: { command: 'x' }, palisade: {} },
    });
    const written = readFileSync(join(at.home, 'codex/config.toml'), 'utf8');
    expect(written.startsWith(`${toml}\n\n[mcp_servers.palisade]\n`)).toBe(true);
    expect(written.match(/mcp_servers\.palisade/g)).toHaveLength(1);
    expect((await at.install('codex', '--server', 'https://other.example')).code).toBe(2);
    writeFileSync(join(at.home, 'codex/config.toml'), 'mcp_servers = { other = { command = "x" } }\n');
    expect((await at.install('codex')).stderr).toContain('codex mcp add palisade');
  });

  it('refuses files that are something else, links of a repository, and clients that nobody knows', async () => {
    const at = place();
    expect((await at.install('emacs')).code).toBe(2);
    for (const bad of ['[', '[]', '7', '{"mcpServers":[]}']) {
      writeFileSync(at.in('.mcp.json'), bad);
      expect((await at.install('claude-code')).code).toBe(2);
      expect(readFileSync(at.in('.mcp.json'), 'utf8')).toBe(bad);
    }
    rmSync(at.in('.mcp.json'));
    const outside = join(at.home, 'outside');
    symlinkSync(outside, at.in('.mcp.json'));
    expect((await at.install('claude-code')).code).toBe(2);
    mkdirSync(outside);
    symlinkSync(outside, at.in('.cursor'));
    expect((await at.install('cursor')).code).toBe(2);
    expect(existsSync(join(outside, 'mcp.json'))).toBe(false);
  });

  it('AO-029: a server that only the repository names is written down when the user says so, whatever credential there is for it', async () => {
    const at = place();
    writeFileSync(at.in('.palisade.toml'), 'server = "https://evil.example"\n');
    const install = (...more: string[]) =>
      at.pal(['mcp', 'install', 'claude-code', ...more], { env: { HOME: at.home, PALISADE_TOKEN: TOKEN } });
    const refused = await install();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('only this repository names https://evil.example');
    expect(existsSync(at.in('.mcp.json'))).toBe(false);
    expect((await install('--server', 'https://evil.example')).code).toBe(0);
    expect((await install('--server', 'http://palisade.example')).code).toBe(2);
  });
});
