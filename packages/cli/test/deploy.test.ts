import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DeployEntry } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { Place } from './place.ts';

const JWT = ['ey', 'JhbGciOiJIUzI1NiJ9.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'].join('');

/** A place with a manifest and the files beside it. */
function manifested(manifest: string, files: Readonly<Record<string, string>> = {}): Place {
  const place = new Place({ runs: [] });
  for (const [name, text] of Object.entries({ ...files, 'palisade.yaml': manifest })) {
    mkdirSync(dirname(join(place.directory, name)), { recursive: true });
    writeFileSync(join(place.directory, name), text);
  }
  return place;
}

/** What the deployment was asked to set, by kind and name. */
function entries(place: Place): Record<string, DeployEntry['input']> {
  const calls = place
    .calls()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { call?: string; input: { entries: DeployEntry[] } });
  const last = calls.findLast(({ call }) => call === 'deployments.apply');
  return Object.fromEntries(
    (last?.input.entries ?? []).map(({ kind, input }) => [`${kind} ${input.name}`, input]),
  );
}

async function refused(manifest: string, files: Readonly<Record<string, string>> = {}): Promise<string[]> {
  using place = manifested(manifest, files);
  const { code, stdout } = await place.pal(['deploy', '--json']);
  expect([2, 4]).toContain(code);
  expect(place.calls()).not.toContain('deployments.apply');
  const { error } = JSON.parse(stdout) as {
    error: { message: string; issues?: { path: string; message: string }[] };
  };
  return error.issues?.map(({ path, message }) => `${path}: ${message}`) ?? [error.message];
}

describe('a manifest', () => {
  it('DI-050 DI-052: becomes what each entry would be by itself, with files beside it and secrets from where it says', async () => {
    using place = manifested(
      `# what this team uses
name: docs
capabilities:
  - { name: style, from: ./skills/style }
model_endpoints:
  - { name: main, kind: openai, url: "https://m.example", secret: "secret:k" }
environments:
  - name: base
    values: &shared { PORT: 0777, DEBUG: true, MODE: base }
    secrets: { TOKEN: secret:token }
  - name: ci
    extends: base
    values: { MODE: ci }
    from_env: { values: [BUILD], secrets: [API_KEY] }
    secrets: { CERT: { from_file: cert.pem }, PASS: { from_stdin: true } }
  - { name: copy, values: *shared }
pipelines:
  - { name: checked, blocks: [{ kind: agent }, { kind: capture, what: outputs }] }
agents:
  - name: writer
    from: agents/writer.md
    run: { harness: claude-code, model_endpoint: main }
    capabilities: [style]
    verify: { command: make check, timeout_ms: 5000 }
    context_requires: [{ kind: paths, glob: "docs/**", min_count: 2 }]
queues:
  - { name: docs, concurrency: 2 }
`,
      {
        'skills/style/SKILL.md': '# Style',
        'agents/writer.md': '---\nname: other\nmodel: opus\ntools: Read, Bash(npm test:*)\n---\nYou write.\n',
        'cert.pem': 'certificate\n',
      },
    );
    const env = { BUILD: '7', API_KEY: 'key-of-mine' };
    const { code, stdout, stderr } = await place.pal(['deploy'], { env, input: 'pass\n' });
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).not.toMatch(/key-of-mine|certificate|pass/);
    expect(entries(place)).toEqual({
      'capability style': {
        name: 'style',
        files: [{ path: 'SKILL.md', base64: Buffer.from('# Style').toString('base64') }],
      },
      'model-endpoint main': { name: 'main', kind: 'openai', url: 'https://m.example', secret: 'secret:k' },
      'env base': {
        name: 'base',
        values: { PORT: '0777', DEBUG: 'true', MODE: 'base' },
        secrets: { TOKEN: { ref: 'secret:token' } },
      },
      'env ci': {
        name: 'ci',
        values: { PORT: '0777', DEBUG: 'true', MODE: 'ci', BUILD: '7' },
        secrets: {
          TOKEN: { ref: 'secret:token' },
          API_KEY: { inline: 'key-of-mine' },
          CERT: { inline: 'certificate' },
          PASS: { inline: 'pass' },
        },
      },
      'env copy': { name: 'copy', values: { PORT: '0777', DEBUG: 'true', MODE: 'base' }, secrets: {} },
      'pipeline checked': {
        name: 'checked',
        blocks: [{ kind: 'agent' }, { kind: 'capture', what: 'outputs' }],
      },
      'agent writer': {
        name: 'writer',
        system_prompt: 'You write.',
        model: 'opus',
        run: {
          harness: 'claude-code',
          model_endpoint: 'main',
          permission: 'strict',
          allowed_tools: ['Read', 'Bash(npm test:*)'],
        },
        capabilities: ['style'],
        verify: { command: 'make check', timeout_ms: 5000 },
        context_requires: [{ kind: 'paths', glob: 'docs/**', min_count: 2 }],
      },
      'queue docs': { name: 'docs', concurrency: 2 },
    });
  });

  it('DI-050: former spellings are taken for the present ones', async () => {
    using place = manifested(`namespace: docs
subagents:
  - { name: a, systemPrompt: You write., promptTemplate: "Do {{prompt}}", run: { harness: command, command: make } }
envs:
  - { name: e, values: { A: b } }
`);
    expect((await place.pal(['deploy'])).code).toBe(0);
    expect(entries(place)).toMatchObject({
      'agent a': { system_prompt: 'You write.', prompt_template: 'Do {{prompt}}' },
      'env e': { values: { A: 'b' } },
    });
  });

  it('DI-050: every problem is told with its line and column, and an unknown name with the nearest', async () => {
    const problems = await refused(
      `name: docs
agents:
  - name: a
    run: { harness: command, comand: make }
  - name: b
    run: { harness: claude }
    modle: x
capabilites: []
capabilities:
  - { name: gone, from: none }
environments:
  - { name: e, secrets: { TOKEN: hunter2-secret, A: { from_env: PALISADE_MASTER_KEY } } }
`,
    );
    expect(problems).toEqual([
      'palisade.yaml:4:5: agents[0].run.command: is missing',
      'palisade.yaml:4:30: agents[0].run.comand: is not known here; the nearest is "command"',
      'palisade.yaml:6:12: agents[1].run.harness: must be one of command, scripted, claude-code, codex, acp',
      'palisade.yaml:7:5: agents[1].modle: is not known here; the nearest is "model"',
      'palisade.yaml:8:1: capabilites: is not known here; the nearest is "capabilities"',
      expect.stringMatching(
        /^palisade.yaml:12:\d+: environments\[0\].secrets.TOKEN.ref: must be the reference/,
      ),
      expect.stringMatching(
        /^palisade.yaml:12:\d+: environments\[0\].secrets.A.from_env: PALISADE_ names are reserved/,
      ),
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('DI-050: files, variables and bases that are not there are told together', async () => {
    const problems = await refused(
      `name: docs
capabilities:
  - { name: gone, from: none }
environments:
  - { name: e, from_env: { secrets: [NOT_SET] } }
  - { name: f, extends: nobody }
  - { name: g, extends: h }
  - { name: h, extends: g }
`,
    );
    expect(problems).toHaveLength(5);
    for (const [i, words] of [
      'none is not a directory',
      'NOT_SET',
      'extends nobody',
      'g -> h -> g',
      'h -> g -> h',
    ].entries())
      expect(problems[i]).toContain(words);
  });

  const greedy = `name: docs
model_endpoints:
  - { name: main, kind: openai, url: "https://stranger.example/v1", secret: "secret:k" }
environments:
  - { name: x, from_env: { values: [BUILD], secrets: [GITHUB_TOKEN] }, secrets: { KEY: { from_file: id.key } } }
  - { name: y, extends: x }
`;

  it('DI-050 DI-049: what it takes of the deployer and where secrets would be sent is told before anything is set', async () => {
    const env = { BUILD: '7', GITHUB_TOKEN: 'token-of-mine' };
    const told = [
      'takes  variable BUILD -> value of env x, env y',
      'takes  variable GITHUB_TOKEN -> secret of env x, env y',
      'takes  file id.key -> secret of env x, env y',
      'sends  secret:k -> https://stranger.example  by model-endpoint main',
    ];
    for (const more of [[], ['--dry-run'], ['--json'], ['--json', '--dry-run']]) {
      using place = manifested(greedy, { 'id.key': 'key' });
      // A control plane that fails shows that it is told before.
      place.tell({
        runs: [],
        failures: { 'deployments.apply': { code: 'internal', message: 'not now' } },
      });
      const failed = await place.pal(['deploy', ...more], { env });
      expect(failed.code).not.toBe(0);
      for (const line of told) expect(failed.stderr).toContain(line);
      expect(failed.stdout + failed.stderr).not.toContain('token-of-mine');
    }
    using place = manifested(greedy, { 'id.key': 'key' });
    const { stdout } = await place.pal(['deploy', '--dry-run', '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({
      takes: [
        { source: 'variable', name: 'BUILD', as: 'value', of: ['env x', 'env y'] },
        { source: 'variable', name: 'GITHUB_TOKEN', as: 'secret', of: ['env x', 'env y'] },
        { source: 'file', name: 'id.key', as: 'secret', of: ['env x', 'env y'] },
      ],
      sends: [{ model_endpoint: 'main', origin: 'https://stranger.example', secret: 'secret:k' }],
    });
  });

  it('DI-050 DI-109: an identity of the host is never a plain value, whoever extends whom', async () => {
    const problems = await refused(
      'name: docs\nenvironments:\n  - { name: a, from_env: { values: [AWS_SECRET_ACCESS_KEY] } }\n  - { name: b, extends: a }\n',
    );
    expect(problems).toHaveLength(2);
    for (const problem of problems)
      expect(problem).toMatch(
        /takes AWS_SECRET_ACCESS_KEY as a plain value.*from_env: \{ secrets: \[AWS_SECRET_ACCESS_KEY\] \}/,
      );
  });

  it('DI-050: environments that extend each other on every level are merged once each, and none is extended twice', async () => {
    const levels = Array.from({ length: 60 }, (_, i) =>
      ['a', 'b'].map((side) =>
        i === 0
          ? `  - { name: a0${side}, values: { X: ${side} } }`
          : `  - { name: a${i}${side}, extends: [a${i - 1}a, a${i - 1}b] }`,
      ),
    ).flat();
    using place = manifested(`name: docs\nenvironments:\n${levels.toReversed().join('\n')}\n`);
    const { code, stderr } = await place.pal(['deploy']);
    expect(code, stderr).toBe(0);
    expect(entries(place)['env a59a']).toMatchObject({ values: { X: 'b' } });

    const problems = await refused(
      'name: docs\nenvironments:\n  - { name: e1 }\n  - { name: e2, extends: [e1, e1] }\n',
    );
    expect(problems).toEqual([expect.stringContaining('extends e1 more than once')]);
  });

  it('DI-050: what it refuses of the control plane is told where it stands in the file', async () => {
    using place = manifested(
      'name: docs\nqueues: [{ name: q, concurrency: 1 }]\nagents:\n  - name: a\n    run: { harness: command, command: make }\n    capabilities: [none]\n',
    );
    place.tell({
      runs: [],
      failures: {
        'deployments.apply': {
          code: 'not_found',
          message: 'x',
          issues: [{ path: 'entries[0].input.capabilities', message: 'no capability none' }],
        },
      },
    });
    const { code, stderr } = await place.pal(['deploy']);
    expect(code).toBe(2);
    expect(stderr).toContain('palisade.yaml:6:5: agents[0].capabilities: no capability none');
  });

  it('FF-128: nothing outside of its directory is read, not by a path, not through a link', async () => {
    const outside = new Place({ runs: [] });
    writeFileSync(join(outside.directory, 'key'), 'of-somebody-else');
    using place = manifested('name: docs\n');
    symlinkSync(outside.directory, join(place.directory, 'link'));
    for (const [from, words] of [
      ['../x', 'has a ".." segment'],
      [outside.directory, 'is absolute'],
      ['link', 'leads through a symbolic link'],
      ['.git', 'names a reserved directory'],
    ] as const) {
      writeFileSync(
        join(place.directory, 'palisade.yaml'),
        `name: docs\ncapabilities: [{ name: x, from: "${from}" }]\n`,
      );
      const { code, stderr } = await place.pal(['deploy']);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    const yaml = 'name: docs\nenvironments: [{ name: x, secrets: { A: { from_file: link/key } } }]\n';
    writeFileSync(join(place.directory, 'palisade.yaml'), yaml);
    expect((await place.pal(['deploy'])).stderr).toContain('leads through a symbolic link');
    expect(place.calls()).not.toContain('of-somebody-else');
    outside[Symbol.dispose]();
  });
});

describe('hostile YAML', () => {
  const bombs: Readonly<Record<string, [string, string]>> = {
    'a billion laughs': [
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
        .split('')
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`)
        .join('\n')}`,
      'more than 50000 values',
    ],
    'an anchor within itself': ['a: &a [*a]', 'nested more than 32 deep'],
    'deep nesting': ['['.repeat(100_000), 'nested'],
    'a name twice': ['name: a\nname: b', 'palisade.yaml:2:1: a name is given twice'],
    'a tag': ['name: !!js/function "x"', 'a tag is used'],
    'two documents': ['name: a\n---\nname: b', 'more than one document'],
    'an alias of nothing': ['name: *none', 'an alias has no anchor'],
    bytes: ['name: !!binary aGVsbG8=', 'is no text'],
    'many aliases': [`l: [&a x${',*a'.repeat(200_000)}]`, 'more than 50000 values'],
    'many names': [
      Array.from({ length: 60_000 }, (_, i) => `k${i}: &k 1`).join('\n'),
      'more than 50000 values',
    ],
    'too many bytes': [`# ${'x'.repeat(1_100_000)}`, 'larger than'],
    'a prototype': ['name: a\n__proto__: { name: b }', '__proto__: is not known here'],
  };
  for (const [what, [yaml, words]] of Object.entries(bombs))
    it(`DI-050: ${what} is refused in a moment, without its text`, async () => {
      const began = performance.now();
      expect((await refused(yaml)).join()).toContain(words);
      expect(performance.now() - began).toBeLessThan(30_000);
    });

  it('DI-050: a fault is told by its place, never by its text', async () => {
    const problems = await refused(`name: docs\nenvironments:\n  - name: e\n    values: { A: "${JWT} }\n`);
    expect(problems.join()).toMatch(/^palisade.yaml:\d+:\d+: /);
    expect(problems.join()).not.toContain(JWT.slice(0, 12));
  });
});
