import { expect, it } from 'vitest';
import { hadNoNetwork, looksLikeNoNetwork, NO_NETWORK } from './no-network.ts';

it.each([
  'curl: (6) Could not resolve host: example.com',
  'ssh: Could not resolve hostname github.com: Temporary failure in name resolution',
  'connect: Network is unreachable',
  'npm error code ENOTFOUND',
  'npm error code EAI_AGAIN',
  'connect ENETUNREACH 10.0.0.1:443',
  "wget: bad address 'example.com'",
  'dial tcp: lookup proxy.golang.org: no such host',
  '[Errno -2] Name or service not known',
  'E: Temporary failure resolving mirror.example.org',
  'java.net.UnknownHostException: repo1.maven.org',
  'error: failed to lookup address information: Name does not resolve',
])('FF-136: %s reads as that of a program without a network', (text) => {
  expect(looksLikeNoNetwork(text)).toBe(true);
});

it.each(['', 'all is well', 'connect ECONNREFUSED 127.0.0.1:5432', 'ENOENT: no such file', '404 Not Found'])(
  'FF-136: "%s" says nothing of the network',
  (text) => {
    expect(looksLikeNoNetwork(text)).toBe(false);
  },
);

it('FF-136: what is said of it names what the plan and what the operator has to set', () => {
  expect(NO_NETWORK).toContain('"sandbox": {"network": true}');
  expect(NO_NETWORK).toContain('--allow-network');
  expect(hadNoNetwork([`the agent may have met a rule of the sandbox: ${NO_NETWORK}`])).toBe(true);
  expect(hadNoNetwork(['something else'])).toBe(false);
  expect(hadNoNetwork(undefined)).toBe(false);
});
