import type { Operation } from '@palisade/contracts';
import { nearest } from '../tree/nearest.ts';
import { UsageError } from '../tree/usage-error.ts';

type Schema = Operation['output'];

/** Which operation answers a command's `--json`; the rest answer with documents of their own. */
async function answerSchema(path: string): Promise<Schema | readonly string[]> {
  const c = await import('@palisade/contracts');
  const schemas: Readonly<Record<string, Schema | readonly string[]>> = {
    run: c.getRun.output,
    watch: c.getRun.output,
    rerun: c.getRun.output,
    show: c.getRun.output,
    status: c.listRuns.output,
    logs: ['run', 'item', 'attempt', 'lines', 'complete'],
    events: c.listEvents.output,
    explain: ['run_id', 'item', 'state', 'why', 'helps'],
    cancel: c.cancelRun.output,
    'plan validate': c.validatePlan.output,
    'plan render': ['title', 'items', 'layers'],
    diff: ['run_id', 'patches'],
    apply: ['run_id', 'applied', 'items', 'files', 'warnings', 'record'],
    'artifact get': ['ref', 'size', 'base64', 'file'],
    'evidence show': ['run_id', 'entries', 'manifests', 'items', 'log'],
    'evidence export': c.exportEvidence.output,
    verify: [
      'run_id',
      'intact',
      'guarantee',
      'claim',
      'time_tier',
      'authz_tier',
      'failure',
      'checks',
      'entries',
      'signature_checked',
      'trust',
    ],
    'agent register': c.registerAgent.output,
    'capability register': c.registerCapability.output,
    'env register': c.registerEnvironment.output,
    'agent list': c.listAgents.output,
    'capability list': c.listCapabilities.output,
    'env list': c.listEnvironments.output,
    'agent show': c.getAgent.output,
    'capability show': c.getCapability.output,
    'env show': c.getEnvironment.output,
    'env remove': c.removeEnvironment.output,
    'secret put': c.putSecret.output,
    'secret list': c.listSecrets.output,
    doctor: ['ok', 'checks'],
    gc: c.collectStorage.output,
    init: ['directory', 'created'],
    'config get': ['data'],
    'config set': ['key', 'value', 'file'],
    'config explain': ['key', 'value', 'layers'],
    version: ['palisade', 'node', 'platform'],
  };
  return schemas[path] ?? [];
}

/** Field names `--json=…` accepts: of an entry for listings, of the answer otherwise. */
export async function fieldsOf(path: string): Promise<readonly string[]> {
  const schema = await answerSchema(path);
  if (isNames(schema)) return schema;
  const shape = shapeOf(schema);
  const data = shape['data'];
  const entry = data === undefined ? undefined : elementOf(data);
  return Object.keys(entry === undefined ? shape : shapeOf(entry));
}

/** A field that is not there is a {@link UsageError} naming the nearest. */
export function assertFields(path: string, picked: readonly string[], known: readonly string[]): void {
  for (const field of picked) {
    const top = field.split('.')[0] ?? field;
    if (known.includes(top)) continue;
    const meant = nearest(top, known);
    throw new UsageError(`pal ${path} has no field "${field}"`, {
      ...(meant === undefined ? {} : { why: `the nearest is "${meant}"` }),
      next: `pal ${path} --json=?`,
    });
  }
}

function isNames(value: Schema | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  return 'shape' in schema ? (schema.shape as Record<string, Schema>) : {};
}

function elementOf(schema: Schema): Schema | undefined {
  return 'element' in schema ? (schema.element as Schema) : undefined;
}
