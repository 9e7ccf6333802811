import { argument, command, flag, pageFlags } from './declaration.ts';

export const serveCommand = command({
  path: 'serve',
  summary: 'Serve this control plane over HTTP, with its engine, until it is stopped',
  args: {},
  flags: {
    listen: flag.string('HOST:PORT', 'where to listen (default 127.0.0.1:7420)'),
    behindTls: flag.boolean('a proxy in front terminates TLS: it may listen beyond this machine'),
    publicOrigin: flag.string('ORIGIN', 'how browsers reach it, such as https://palisade.example'),
  },
  effect: 'read',
  notes:
    'Every call needs a credential: pal principal create NAME, and for people pal init-admin. SIGTERM answers what is under way and stops no\nattempt; the next engine takes up what is open. One JSON line per request goes to standard error.',
});

export const loginCommand = command({
  path: 'login',
  summary: 'Keep a credential for a server, read from standard input, a file or a hidden prompt',
  args: { server: argument.required('its origin, such as https://palisade.example') },
  flags: {
    file: flag.string('FILE', 'read the token from FILE; - waits for standard input', { short: 'f' }),
  },
  effect: 'read',
  asks: { token: { words: 'token', flag: '--file FILE' } },
  notes: 'The token is sent to that server and to no other, whatever a repository names.',
});

const password = {
  passwordStdin: flag.boolean('read the password from standard input'),
};
const passwordAsked = {
  password: { words: 'password, 12 to 1024 bytes', flag: '--password-stdin' },
  again: { words: 'the same again', flag: '--password-stdin' },
};

export const initAdminCommand = command({
  path: 'init-admin',
  summary: 'Make the first administrator of an installation that has nobody yet',
  args: {},
  flags: { username: flag.string('NAME', 'the name to sign in with'), ...password },
  effect: 'read',
  asks: passwordAsked,
  notes:
    'Works on the files of the control plane or its database, whether it is served or not; never through a server.',
});

export const recoverOperatorPasswordCommand = command({
  path: 'recover-operator-password',
  summary: 'Give a person a new password, enable the account and end its browser sessions',
  args: {},
  flags: {
    username: flag.string('NAME', 'whose password it is'),
    reason: flag.string('TEXT', 'why; it is kept in the audit records'),
    ...password,
  },
  effect: 'read',
  asks: passwordAsked,
  notes:
    'Works on the files of the control plane or its database, whether it is served or not; never through a server.',
});

const asked = {
  scope: flag.list('SCOPE', 'read, write, approve, provision or system'),
  onlyProject: flag.string('NAME', 'the only project it may see'),
  expiresIn: flag.duration('refuse it after this long'),
};

export const principalCreateCommand = command({
  path: 'principal create',
  summary: 'Create an agent or a service, and its first credential',
  args: { name: argument.required('name') },
  flags: { kind: flag.choice(['agent', 'service'], 'what it is (default agent)'), ...asked },
  effect: 'mutation',
  notes: 'The token is shown once. Without --scope an agent may read and write.',
});

export const principalListCommand = command({
  path: 'principal list',
  summary: 'People, agents and services',
  args: {},
  flags: pageFlags,
  effect: 'read',
});

export const clockCommand = command({
  path: 'clock',
  summary: 'Whether the clock is trusted that leases and deadlines are decided by',
  args: {},
  flags: {},
  effect: 'read',
});

export const recoverClockCommand = command({
  path: 'recover-clock',
  summary: 'Say that a clock which went back is right again',
  args: {},
  flags: {
    reason: flag.string('TEXT', 'what had happened, for the record (required)'),
    keepAhead: flag.boolean('do not wait until the clock has caught up: all dates stay ahead, for good'),
  },
  effect: 'mutation',
  notes:
    'While a served control plane does not trust its clock, nothing is granted: no sign-in, no claim, no new run. It is\nlifted once the clock has reached the latest moment that was handed out. Whatever has run out meanwhile stays so.\nWhere the clock had been far ahead, that takes as long as it was ahead. --keep-ahead, on the host, goes on at once: the\nclock is then taken to be whole weeks later than it says. A backup from before is better where there is one.',
});

export const credentialListCommand = command({
  path: 'credential list',
  summary: 'Credentials, without tokens',
  args: {},
  flags: pageFlags,
  effect: 'read',
});

export const credentialIssueCommand = command({
  path: 'credential issue',
  summary: 'Issue another credential; what is left out is as in the newest one',
  args: { principal: argument.required('id of the agent or service'), name: argument.required('name') },
  flags: asked,
  effect: 'mutation',
});

export const credentialRotateCommand = command({
  path: 'credential rotate',
  summary: 'Put a new credential in the place of one, with the same rights',
  args: { credential: argument.required('id'), name: argument.required('name of the new one') },
  flags: { keepOld: flag.boolean('do not revoke the old one') },
  effect: 'mutation',
});

export const credentialRevokeCommand = command({
  path: 'credential revoke',
  summary: 'Refuse a credential from the next call on',
  args: { credential: argument.required('id') },
  flags: {},
  effect: 'mutation',
});

export const mcpInstallCommand = command({
  path: 'mcp install',
  summary: 'Tell claude-code, codex or cursor of the server, so that its agent has its tools',
  args: { client: argument.required('claude-code, codex or cursor') },
  flags: { server: flag.string('ORIGIN', 'the server, in place of the one that is set') },
  effect: 'mutation',
  notes:
    'Writes .mcp.json or .cursor/mcp.json of this repository, or config.toml of codex. The token is never written: the client\nreads it from PALISADE_TOKEN. --dry-run prints what would be written.',
});

export const mcpMemoryCommand = command({
  path: 'mcp memory',
  summary: 'Offer what is known of this repository as tools on standard input and output, without a server',
  args: {},
  flags: {},
  effect: 'read',
});

export const mcpStdioCommand = command({
  path: 'mcp stdio',
  summary: 'Offer the tools of a server on standard input and output, for clients that start a program',
  args: {},
  flags: {
    server: flag.string('ORIGIN', 'the server, in place of the one that is set'),
  },
  effect: 'read',
  notes:
    'Each change is written down before it is sent. When an answer is lost, transport_retry sends it again exactly as it was;\nuntil then no other change is sent. The credential is the one of pal login. --state-dir names a directory of its own.',
});
