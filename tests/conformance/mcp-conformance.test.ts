import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { addingProxy } from '../support/adding-proxy.ts';
import { palisade } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';
import { HAS_TO_PASS, NOT_OFFERED } from './mcp-not-offered.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

interface Check {
  readonly id: string;
  readonly status: string;
}

/** The address of a real server's tools, as it looks to a client that has a credential. */
async function servedTools(): Promise<string> {
  const { root, env: own } = place();
  const { url } = await served(root, own);
  const issued = await palisade(root, ['principal', 'create', 'suite', '--json'], own);
  const { token } = JSON.parse(issued.stdout) as { token: string };
  return `${await addingProxy(url, { authorization: `Bearer ${token}` })}/mcp`;
}

/** Failed checks by scenario, of all that a revision of the protocol requires; empty for a scenario that passed. */
async function failures(url: string, revision: string): Promise<Map<string, readonly string[]>> {
  const results = mkdtempSync(join(tmpdir(), 'palisade-mcp-'));
  onTestFinished(() => rmSync(results, { recursive: true, force: true }));
  const words = ['server', '--url', url, '--requirements', revision, '--output-dir', results];
  const suite = spawn(process.execPath, [SUITE, ...words], { cwd: results, stdio: 'ignore' });
  await new Promise((ended) => suite.once('close', ended));
  return new Map(
    readdirSync(results).map((name) => {
      const checks = JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[];
      const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name;
      return [scenario, checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id)];
    }),
  );
}

it.each(Object.keys(NOT_OFFERED))(
  'AO-128 AO-129: the official conformance suite of %s finds fault with nothing that is offered',
  {
    timeout: 180_000,
  },
  async (revision) => {
    const failed = await failures(await servedTools(), revision);
    const notOffered = NOT_OFFERED[revision] ?? {};
    const isExcused = (scenario: string, id: string): boolean => {
      const reasons = notOffered[scenario] ?? {};
      // Whatever is asked for, what is sent has the protocol's form.
      return id !== 'wire-schema-valid' && (typeof reasons === 'string' || reasons[id] !== undefined);
    };
    const wrong = [...failed].flatMap(([scenario, ids]) =>
      ids.filter((id) => !isExcused(scenario, id)).map((id) => `${scenario}: ${id}`),
    );
    expect(wrong).toEqual([]);
    const passed = [...failed].filter(([, ids]) => ids.length === 0).map(([scenario]) => scenario);
    expect(passed).toEqual(expect.arrayContaining([...(HAS_TO_PASS[revision] ?? [])]));
    // A list of excuses that holds more than is needed would hide a fault of tomorrow.
    const stale = Object.entries(notOffered).flatMap(([scenario, reasons]) => {
      const ids = failed.get(scenario) ?? [];
      if (typeof reasons === 'string') return ids.length === 0 ? [scenario] : [];
      return Object.keys(reasons).filter((id) => !ids.includes(id));
    });
    expect(stale).toEqual([]);
  },
);
