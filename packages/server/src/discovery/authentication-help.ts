import type { AuthenticationHelp } from '@palisade/contracts';
import type * as z from 'zod';

const PLAN = { items: [{ id: 'a', agent: 'AGENT', prompt: 'WHAT TO DO' }] };
const HEAD = ['Host: SERVER', 'Authorization: Bearer TOKEN'];

const get = (title: string, path: string) => ({
  title,
  request: [`GET ${path} HTTP/1.1`, ...HEAD, '', ''].join('\n'),
});

const post = (title: string, path: string, body: object, more: readonly string[] = []) => ({
  title,
  request: [
    `POST ${path} HTTP/1.1`,
    ...HEAD,
    'Content-Type: application/json',
    ...more,
    '',
    JSON.stringify(body),
  ].join('\n'),
});

const change = (title: string, path: string, body: object) =>
  post(title, path, body, ['Idempotency-Key: NEW-RANDOM-KEY']);

const project = '/v1/projects/PROJECT';

/** How to get and use a credential (AO-005, AO-006). What is in capitals is filled in by whoever reads it. */
export const authenticationHelp: z.output<typeof AuthenticationHelp> = {
  summary:
    'Programs present a token that an administrator issued; people sign in in a browser. Nobody can enrol by themselves.',
  steps: [
    'An administrator issues a token: palisade principal create NAME. It is shown once.',
    'Keep it in a file that only you can read, or in PALISADE_TOKEN: never in a command line, an address or a repository.',
    'Command line: palisade login https://SERVER, then palisade config set server https://SERVER.',
    'MCP client: palisade mcp install CLIENT, or configure https://SERVER/mcp with the header Authorization: Bearer TOKEN.',
    'Anything else: HTTPS with that header, as the examples show. Every change carries an Idempotency-Key; send the same request with the same key when its answer was lost.',
    'A person who lost a password asks for a link at POST /v1/auth/password/forgot, or the operator of the host: palisade recover-operator-password.',
  ],
  examples: [
    get('Who the token is of', '/v1/auth/account'),
    post('Check a plan', `${project}/plans/validate`, { plan: PLAN }),
    change('Start a run', `${project}/runs`, { plan: PLAN }),
    get('How it goes', `${project}/runs/RUN`),
    get('What waits for a person', `${project}/requests`),
    change('Stop it', `${project}/runs/RUN/cancel`, { reason: 'WHY' }),
    get('What proves it', `${project}/runs/RUN/evidence`),
  ],
  remedies: [
    {
      code: 'authentication_required',
      remedy: 'The token is missing, unknown, expired or revoked: have another one issued.',
    },
    {
      code: 'operation_not_permitted',
      remedy:
        'The token is good and lacks a scope: ask an administrator for one that has it. Signing in again does not help.',
    },
    {
      code: 'not_found',
      remedy: 'It is not there, or the token is of another project: check the name and the project.',
    },
  ],
};
