import {
  AgentInput,
  EnvName,
  HarnessChoice,
  ModelEndpointInput,
  Name,
  NewName,
  PipelineInput,
  QueueInput,
} from '@palisade/contracts';
import * as z from 'zod';
import type { MapTree, Member, Tree } from '../yaml/yaml-tree.ts';

/*
 * The deploy manifest, `palisade.yaml` (DI-050). It says what an installation should know, and where secrets
 * come from; it never holds one.
 */

const patterns = z.array(z.string()).optional();

/** Where the value of a secret is: stored already, or to be taken now from the operator's environment, a file or standard input. */
export const SecretSource = z
  .strictObject({
    ref: z
      .string()
      .regex(
        /^secret:[A-Za-z0-9]/,
        'must be the reference of a stored secret, such as secret:token; a manifest holds no secret',
      )
      .optional(),
    from_env: EnvName.optional(),
    from_file: z.string().min(1).optional(),
    from_stdin: z.literal(true).optional(),
  })
  .refine((source) => Object.values(source).filter((value) => value !== undefined).length === 1, {
    message: 'needs one of ref, from_env, from_file and from_stdin',
  });
export type SecretSource = z.infer<typeof SecretSource>;

const ManifestCapability = z.strictObject({
  name: NewName,
  /** A directory beside or below the manifest. */
  from: z.string().min(1),
  allow_credential_patterns: patterns,
});

const ManifestEnvironment = z.strictObject({
  name: NewName,
  /** Environments of this manifest; what comes later wins, and what this one says most of all. */
  extends: z.array(Name).optional(),
  values: z.record(EnvName, z.string()).optional(),
  secrets: z.record(EnvName, SecretSource).optional(),
  /** Variables of the operator's environment that are taken under their own names. */
  from_env: z
    .strictObject({ values: z.array(EnvName).optional(), secrets: z.array(EnvName).optional() })
    .optional(),
  allow_credential_patterns: patterns,
});
export type ManifestEnvironment = z.infer<typeof ManifestEnvironment>;

const ManifestAgent = AgentInput.extend({
  /** A Markdown file with front matter; its body is the system prompt. */
  from: z.string().min(1).optional(),
  run: HarnessChoice,
});
export type ManifestAgent = z.infer<typeof ManifestAgent>;

export const Manifest = z.strictObject({
  $schema: z.string().optional(),
  version: z.literal(1).optional(),
  /** What is deployed belongs to this name; see `--prune`. */
  name: NewName,
  capabilities: z.array(ManifestCapability).optional(),
  model_endpoints: z.array(ModelEndpointInput).optional(),
  environments: z.array(ManifestEnvironment).optional(),
  pipelines: z.array(PipelineInput).optional(),
  agents: z.array(ManifestAgent).optional(),
  queues: z.array(QueueInput).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/** Former and short spellings by the list they occur in; the manifest itself is ''. */
const SPELLINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { namespace: 'name', subagents: 'agents', envs: 'environments', modelEndpoints: 'model_endpoints' },
  agents: {
    systemPrompt: 'system_prompt',
    instructions: 'system_prompt',
    promptTemplate: 'prompt_template',
    prompt: 'prompt_template',
    contextRequires: 'context_requires',
    allowCredentialPatterns: 'allow_credential_patterns',
  },
  capabilities: { allowCredentialPatterns: 'allow_credential_patterns' },
  pipelines: { allowCredentialPatterns: 'allow_credential_patterns' },
  environments: { allowCredentialPatterns: 'allow_credential_patterns', fromEnv: 'from_env' },
};

/** Rewrites a manifest's tree to the one spelling the schema knows. What is given under two spellings stays, to be refused. */
export function respelled(tree: Tree): Tree {
  if (tree.kind !== 'map') return tree;
  const top = renamed(tree, SPELLINGS[''] ?? {});
  for (const [list, { value }] of top.members) {
    if (value.kind !== 'list') continue;
    const items = value.items.map((item) => entry(list, item));
    top.members.set(list, { ...must(top, list), value: { ...value, items } });
  }
  return top;
}

function entry(list: string, item: Tree): Tree {
  if (item.kind !== 'map') return item;
  const named = renamed(item, SPELLINGS[list] ?? {});
  if (list !== 'environments') return named;
  change(named, 'extends', (value) =>
    value.kind === 'scalar' ? { kind: 'list', at: value.at, items: [value] } : value,
  );
  change(named, 'values', (value) => eachMember(value, writtenText));
  change(named, 'secrets', (value) => eachMember(value, spelledOut));
  return named;
}

/** A number or a truth value without quotes is the text that stands there: variables are text. */
function writtenText(value: Tree): Tree {
  const isOther =
    value.kind === 'scalar' && (typeof value.value === 'number' || typeof value.value === 'boolean');
  return isOther ? { ...value, value: value.source ?? String(value.value) } : value;
}

/** `TOKEN: secret:token` is short for `TOKEN: { ref: secret:token }`. */
function spelledOut(value: Tree): Tree {
  if (value.kind !== 'scalar' || typeof value.value !== 'string') return value;
  return { kind: 'map', at: value.at, members: new Map([['ref', { at: value.at, value }]]) };
}

function eachMember(tree: Tree, transform: (value: Tree) => Tree): Tree {
  if (tree.kind !== 'map') return tree;
  const members = [...tree.members].map(([name, member]): [string, Member] => [
    name,
    { ...member, value: transform(member.value) },
  ]);
  return { ...tree, members: new Map(members) };
}

function change(tree: MapTree, name: string, transform: (value: Tree) => Tree): void {
  const member = tree.members.get(name);
  if (member !== undefined) tree.members.set(name, { ...member, value: transform(member.value) });
}

function renamed(tree: MapTree, spellings: Readonly<Record<string, string>>): MapTree {
  const members = [...tree.members].map(([name, member]): [string, Member] => {
    const other = Object.hasOwn(spellings, name) ? spellings[name] : undefined;
    return [other === undefined || tree.members.has(other) ? name : other, member];
  });
  return { ...tree, members: new Map(members) };
}

function must(tree: MapTree, name: string): Member {
  const member = tree.members.get(name);
  if (member === undefined) throw new Error(`there is no ${name}`);
  return member;
}
