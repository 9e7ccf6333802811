import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { newId, type Reported } from '@palisade/contracts';
import { onTestFinished } from 'vitest';
import { JobFile, type KeptJob } from '../src/jobs/job-file.ts';

/** A job that is kept in a directory of its own, whose program is a line of sh that runs there. */
export function keptJob(origin: string, line: string, changed: Partial<KeptJob> = {}) {
  const state = mkdtempSync(join(tmpdir(), 'palisade-job-'));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const kept: KeptJob = {
    format: 1,
    origin,
    project: 'default',
    job_id: newId('pjob'),
    producer_id: newId('prod'),
    reporter_id: newId('rep'),
    proof: randomBytes(32).toString('hex'),
    program: ['/bin/sh', '-c', line],
    directory: state,
    environment: { PATH: process.env['PATH'] ?? '', GIVEN: 'only-this-once' },
    log_limit_bytes: 1_000_000,
    phase: 'registered',
    sequence: 0,
    is_told: false,
    ...changed,
  };
  const file = new JobFile(state, kept.job_id);
  file.keep(kept);
  return { state, file, kept, draft: join(file.directory, 'job.json.tmp') };
}

/**
 * What a guardian finds at its origin: every call is answered as a server would whose job may be started, on a connection of its own,
 * unless `answer` does it. `reports` are the bodies of those that were made.
 */
export async function reporterServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<boolean> = async () => false,
) {
  const reports: { state: string; exit_code?: number }[] = [];
  const received: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (await answer(request, response)) return;
    if (request.method === 'POST') reports.push(JSON.parse(body) as (typeof reports)[0]);
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(REPORTED));
  };
  const server = createServer((request, response) => void handle(request, response));
  server.on('connection', (socket) => socket.on('data', (chunk) => received.push(chunk.toString('latin1'))));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, reports, received };
}

const REPORTED: Reported = {
  job: {
    id: newId('pjob'),
    producer_id: newId('prod'),
    principal: newId('prn'),
    session: newId('hses'),
    workstation_id: 'laptop',
    label: 'sh',
    state: 'registered',
    freshness: 'unobserved',
    registered_at: 1,
    reporter: { id: newId('rep'), expires_at: 2, renew_until: 2 },
  },
  launch_allowed: true,
  lease_remaining_ms: 200_000,
  may_observe: true,
  may_renew: false,
};

/** Answers as to somebody whom the server does not know. */
export function refuse(response: ServerResponse): true {
  response.writeHead(401, { 'content-type': 'application/problem+json' });
  const problem = { type: 'about:blank', title: 'x', status: 401, code: 'authentication_required' };
  response.end(JSON.stringify({ ...problem, detail: 'no', retryable: false, request_id: 'r' }));
  return true;
}
