import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentInput, CapabilityInput, DeployEntry } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { scenario } from './cases.ts';
import { Place } from './place.ts';

function repository(files: Readonly<Record<string, string>>): Place {
  const place = new Place(scenario());
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.directory, name)), { recursive: true });
    writeFileSync(join(place.directory, name), text);
  }
  return place;
}

/** What the last deployment was asked to set. */
function asked(place: Place): { name: string; adopt?: boolean; entries: DeployEntry[] } {
  const calls = place
    .calls()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { call?: string; input: never });
  return calls.findLast(({ call }) => call === 'deployments.apply')?.input ?? { name: '', entries: [] };
}
const capabilities = (place: Place): Record<string, string[]> =>
  Object.fromEntries(
    asked(place).entries.map(({ input }) => [
      input.name,
      (input as CapabilityInput).files.map(
        ({ path, base64, executable }) =>
          `${path}${executable === true ? '*' : ''} ${Buffer.from(base64, 'base64').toString()}`,
      ),
    ]),
  );
const agents = (place: Place): AgentInput[] => asked(place).entries.map(({ input }) => input as AgentInput);
const warningsOf = async (place: Place, args: readonly string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await place.pal([...args, '--json']);
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { warnings: string[] }).warnings;
};

describe('skills of a directory', () => {
  it('DI-051: each directory with a marker is one; none below it, none below a dot; equal ones are one', async () => {
    using place = repository({
      '.claude/skills/style/SKILL.md': 'S',
      '.claude/skills/style/deep/SKILL.md': 'no skill of its own',
      '.claude/skills/style/run.sh': '#!/bin/sh',
      '.claude/skills/group/law/SKILL.md': 'L',
      '.claude/skills/other/law/SKILL.md': 'L',
      '.claude/skills/.hidden/x/SKILL.md': 'H',
      '.claude/skills/README.md': 'no skill',
      '.claude/skills/empty/note.md': 'no skill',
      'src/SKILL.md': 'elsewhere',
    });
    chmodSync(join(place.directory, '.claude/skills/style/run.sh'), 0o755);
    expect(await warningsOf(place, ['capability', 'sync'])).toEqual([]);
    expect(capabilities(place)).toEqual({
      law: ['.claude/skills/law/SKILL.md L'],
      style: [
        '.claude/skills/style/SKILL.md S',
        '.claude/skills/style/deep/SKILL.md no skill of its own',
        '.claude/skills/style/run.sh* #!/bin/sh',
      ],
    });
    expect(asked(place)).toMatchObject({ name: 'sync:claude-code:skills' });
    expect(asked(place).adopt).toBeUndefined();
  });

  it('DI-051: of different ones with the same name the last counts, and it is told', async () => {
    using place = repository({
      '.claude/skills/a/law/SKILL.md': 'first',
      '.claude/skills/b/law/SKILL.md': 'last',
    });
    expect(await warningsOf(place, ['capability', 'sync'])).toEqual([
      '.claude/skills/a/law is left out: .claude/skills/b/law has the same name and other content',
    ]);
    expect(capabilities(place)).toEqual({ law: ['.claude/skills/law/SKILL.md last'] });
  });

  it('DI-051: those for Codex lie under .agents', async () => {
    using place = repository({ '.agents/skills/style/SKILL.md': 'S', '.claude/skills/x/SKILL.md': 'X' });
    await warningsOf(place, ['capability', 'sync', '--convention', 'codex']);
    expect(capabilities(place)).toEqual({ style: ['.agents/skills/style/SKILL.md S'] });
  });

  it('FF-128: no link is followed, and one within a skill is refused', async () => {
    using outside = repository({ 'secret/SKILL.md': 'of-somebody-else' });
    using place = repository({ '.claude/skills/fine/SKILL.md': 'F', '.claude/skills/bad/note.md': 'N' });
    const skills = join(place.directory, '.claude/skills');
    symlinkSync(join(outside.directory, 'secret'), join(skills, 'linked'));
    symlinkSync(join(outside.directory, 'secret/SKILL.md'), join(skills, 'bad/SKILL.md'));
    expect(await warningsOf(place, ['capability', 'sync'])).toEqual([
      'bad/SKILL.md is left out: it is a symbolic link',
      'linked is left out: it is a symbolic link',
    ]);
    expect(Object.keys(capabilities(place))).toEqual(['fine']);
    symlinkSync(join(outside.directory, 'secret/SKILL.md'), join(skills, 'fine/more.md'));
    const refused = await place.pal(['capability', 'sync']);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('more.md is a symbolic link'),
    ]);
    using linked = repository({});
    symlinkSync(join(outside.directory, 'secret'), join(linked.directory, '.claude'));
    expect((await linked.pal(['capability', 'sync'])).stderr).toContain('leads through a symbolic link');
    expect(place.calls() + linked.calls()).not.toContain(Buffer.from('of-somebody-else').toString('base64'));
  });

  it('DI-044: agents bound to older content are named, and bound anew on request', async () => {
    using place = repository({ '.claude/skills/style/SKILL.md': 'S' });
    const told = await place.pal(['capability', 'sync']);
    expect(told.stderr).toContain('next: pal agent rebind --all');
    expect(place.calls()).not.toContain('agents.rebind');
    const rebound = await place.pal(['capability', 'sync', '--rebind']);
    expect(rebound.stderr).toContain('ok       agent x  revision 2');
    expect(place.calls()).toContain('agents.rebind');
  });
});

describe('agents of a directory', () => {
  it('DI-051: name, model, tools and prompt count; every other field is told and left alone', async () => {
    using place = repository({
      '.claude/agents/writer.md':
        '---\nname: scribe\ndescription: Writes.\nmodel: opus\ntools: Read, Bash(npm test:*), Grep\ncolor: red\n---\n\nYou write.\n',
      '.claude/agents/plain.md': 'Only a prompt.\n',
      '.claude/agents/inherits.md': '---\nmodel: inherit\ntools:\n  - Read\n---\r\nBody',
      '.claude/agents/greedy.md': `---
name: greedy
run: { harness: command, command: touch /tmp/x }
program: /bin/sh
network: true
sandbox: process
env: prod
permissionMode: bypassPermissions
mcpServers: { x: { command: sh } }
hooks: { Stop: [] }
---
You want more.
`,
      '.claude/agents/notes.txt': 'no agent',
    });
    const warnings = await warningsOf(place, ['agent', 'sync', '--model-endpoint', 'main']);
    const fields = ['run', 'program', 'network', 'sandbox', 'env', 'permissionMode', 'mcpServers', 'hooks'];
    expect(warnings).toEqual(
      fields.map((field) => `.claude/agents/greedy.md says ${field}, which is left alone`),
    );
    const run = { harness: 'claude-code', model_endpoint: 'main' };
    expect(agents(place)).toEqual([
      { name: 'greedy', system_prompt: 'You want more.', run },
      {
        name: 'inherits',
        system_prompt: 'Body',
        run: { ...run, permission: 'strict', allowed_tools: ['Read'] },
      },
      { name: 'plain', system_prompt: 'Only a prompt.', run },
      {
        name: 'scribe',
        system_prompt: 'You write.',
        model: 'opus',
        run: { ...run, permission: 'strict', allowed_tools: ['Read', 'Bash(npm test:*)', 'Grep'] },
      },
    ]);
    expect(asked(place).name).toBe('sync:claude-code:agents');
  });

  it('DI-051: files that cannot be read are told together, and nothing is changed', async () => {
    using place = repository({
      '.claude/agents/fine.md': 'Fine.',
      '.claude/agents/a.md': '---\nname: [x]\n---\n',
      '.claude/agents/b.md': '---\nname: b\nname: c\n---\n',
      '.claude/agents/c.md': '---\ntools: []\n---\n',
      '.claude/agents/d.md': '---\nname: ../../x\n---\n',
      '.claude/agents/e.md': '---\na: &a [*a]\n---\n',
      '.claude/agents/f.md': `---\n${'x'.repeat(70_000)}\n---\n`,
    });
    const { code, stdout } = await place.pal(['agent', 'sync', '--json']);
    expect(code).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { issues: { path: string; message: string }[] } };
    expect(error.issues.map(({ path, message }) => `${path.slice(-4)} ${message}`)).toEqual([
      'a.md .claude/agents/a.md:2:7: name must be text',
      'b.md .claude/agents/b.md:3:1: a name is given twice in one mapping',
      expect.stringMatching(/^c.md .claude\/agents\/c.md:2:8: tools lists nothing/),
      'd.md its name cannot be that of an agent',
      'e.md .claude/agents/e.md is nested more than 16 deep',
      expect.stringMatching(/^f.md the front matter of .* is larger than/),
    ]);
    expect(place.calls()).not.toContain('deployments.apply');
  });

  it('DI-051: what the control plane refuses is told by the name of the agent', async () => {
    using place = repository({ '.claude/agents/greedy.md': '---\ntools: "Read; rm"\n---\nBody' });
    const { code, stderr } = await place.pal(['agent', 'sync']);
    expect(code).toBe(2);
    expect(stderr).toContain('agent greedy run.allowed_tools[0]: must be a tool name');
  });

  it('FF-128: a file that is a link is left out', async () => {
    using place = repository({ secret: 'of-somebody-else', '.claude/agents/fine.md': 'Fine.' });
    symlinkSync(join(place.directory, 'secret'), join(place.directory, '.claude/agents/x.md'));
    expect(await warningsOf(place, ['agent', 'sync'])).toEqual([
      '.claude/agents/x.md is left out: it is a symbolic link',
    ]);
    expect(agents(place).map(({ name }) => name)).toEqual(['fine']);
  });
});
