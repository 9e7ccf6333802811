import { expect, test } from 'vitest';
import { engineAddress } from './engine-address.ts';

const tls = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/certs' };

test('DI-151: DOCKER_HOST names the engine, and without it the local socket is meant', () => {
  const local = { kind: 'unix', path: '/var/run/docker.sock' };
  expect(engineAddress({})).toEqual(local);
  expect(engineAddress({ DOCKER_HOST: '' })).toEqual(local);
  expect(engineAddress({ DOCKER_HOST: 'unix:///run/user/1000/docker.sock' })).toEqual({
    kind: 'unix',
    path: '/run/user/1000/docker.sock',
  });
  const remote = { kind: 'tcp', host: 'engine.example', port: 2376, certificates: '/certs' };
  expect(engineAddress({ DOCKER_HOST: 'tcp://engine.example:2376', ...tls })).toEqual(remote);
  expect(engineAddress({ DOCKER_HOST: 'tcp://engine.example', ...tls })).toEqual(remote);
  expect(engineAddress({ DOCKER_HOST: 'tcp://engine.example', DOCKER_CERT_PATH: '/certs' })).toEqual(remote);
  const home = { DOCKER_HOST: 'tcp://[2001:db8::1]:99', DOCKER_TLS_VERIFY: '1', HOME: '/home/ann' };
  expect(engineAddress(home)).toEqual({
    kind: 'tcp',
    host: '2001:db8::1',
    port: 99,
    certificates: '/home/ann/.docker',
  });
});

test('without TLS an engine is spoken to only where no network is in between', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect(engineAddress({ DOCKER_HOST: `tcp://${host}` })).toMatchObject({ port: 2375, certificates: null });
  for (const host of ['engine.example', '10.0.0.1', '127.0.0.1.example', '[2001:db8::1]'])
    expect(() => engineAddress({ DOCKER_HOST: `tcp://${host}:2375` })).toThrow(/without TLS/);
});

test('an address that cannot be used is refused with what to do, and not repeated', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['ssh://ann@canary.example', /ssh:\/\/ is not supported/],
    ['unix://canary/docker.sock', /not absolute/],
    ['https://canary.example', /neither/],
    ['canary', /neither/],
    ['tcp://ann:canary@engine.example:2376', /not tcp:\/\/host:port/],
    ['tcp://engine.example:2376/canary', /not tcp:\/\/host:port/],
    ['tcp://engine.example:0', /port/],
    ['tcp://engine.example:70000', /port/],
  ];
  for (const [host, reason] of cases) {
    let error: { message?: string; next?: string } = {};
    try {
      engineAddress({ DOCKER_HOST: host, ...tls });
    } catch (thrown) {
      error = thrown as typeof error;
    }
    expect(error.message, host).toMatch(reason);
    expect(error.next, host).toMatch(/^set (unix|tcp|it)/);
    expect(`${error.message}${error.next}`).not.toContain('canary');
  }
});
