import {
  assertSafePath,
  type InputIssue,
  type PipelineBlock,
  type PlanItem,
  type PlanTemplate,
  RESULT_OUTPUT,
} from '@palisade/contracts';
import type { PlanChecks } from '../shapes/data-edges.ts';
import type { ShapeCatalogue } from '../shapes/shape-catalogue.ts';

/** What an item or a template does, without its place in the graph: contradictions and gaps, each with its place. */
export function checkWork(work: PlanItem | PlanTemplate, at: string, checks: PlanChecks): void {
  const { issues } = checks;
  if ((work.max_cost_usd ?? 0) > (work.budget?.cost_usd ?? Number.POSITIVE_INFINITY))
    issues.push({ path: `${at}.max_cost_usd`, message: 'is more than the budget of the item itself' });
  const ways = [
    work.command === undefined ? null : 'command',
    work.run === undefined ? null : 'run',
    work.agent === undefined ? null : 'agent',
    work.inputs?.subagent === undefined ? null : 'inputs.subagent',
  ].filter((way) => way !== null);
  if (ways.length === 0)
    issues.push({
      path: at,
      message: 'says nothing to run: give one of command, run, agent or inputs.subagent',
    });
  if (ways.length > 1)
    issues.push({ path: at, message: `gives ${ways.join(' and ')}: only one may say what to run` });
  if (work.run !== undefined && 'program' in work.run && work.run.program !== undefined)
    issues.push({
      path: `${at}.run.program`,
      message:
        'only a registered agent may name its program: a plan does not choose what of the machine is shown',
    });
  if (work.inputs?.capabilities !== undefined && work.inputs.addCapabilities !== undefined) {
    issues.push({
      path: `${at}.inputs`,
      message: 'capabilities replaces and addCapabilities appends: give one of them',
    });
  }
  const locks = work.resourceLocks ?? [];
  locks.forEach((key, i) => {
    if (locks.indexOf(key) !== i)
      issues.push({ path: `${at}.resourceLocks[${i}]`, message: `"${key}" is listed twice` });
  });
  if (work.shape !== undefined) checkShape(work, work.shape, at, checks);
}

/** A shape that exists, and no wish above what it allows (DI-193). */
function checkShape(
  work: PlanItem | PlanTemplate,
  id: string,
  at: string,
  { shapes, issues }: PlanChecks,
): void {
  const shape = shapes.get(id);
  if (shape === undefined) {
    issues.push({ path: `${at}.shape`, message: `unknown shape "${id}"${shapes.suggest(id)}` });
    return;
  }
  const { network, patch, outputs } = shape.permissions;
  if (work.sandbox?.network === true && !network)
    issues.push({ path: `${at}.sandbox.network`, message: `${id} is ${shape.effect}: it gets no network` });
  blocksOf(work)?.forEach((block, i) => {
    if (block.kind === 'capture' && !(block.what === 'patch' ? patch : outputs))
      issues.push({
        path: `${at}.inputs.pipeline[${i}]`,
        message: `${id} is ${shape.effect}: it leaves no ${block.what}`,
      });
  });
  if (shape.result !== undefined && leavesNo(work, 'output', shapes))
    issues.push({ path: `${at}.inputs.pipeline`, message: lacksResult(id) });
}

/** Why a pipeline that captures no outputs does not do for a shape with a structured result. */
export function lacksResult(shape: string): string {
  return `${shape} has to leave ${RESULT_OUTPUT}: its pipeline captures no outputs`;
}

/** Whether the pipeline an item states, or its shape, leaves no product of this kind. */
export function leavesNo(
  work: PlanItem | PlanTemplate | undefined,
  kind: 'patch' | 'output',
  shapes: ShapeCatalogue,
): boolean {
  const shape = shapes.get(work?.shape);
  if (shape !== undefined && !(kind === 'patch' ? shape.permissions.patch : shape.permissions.outputs))
    return true;
  const pipeline = blocksOf(work);
  return pipeline !== undefined && !captures(pipeline, kind === 'patch' ? 'patch' : 'outputs');
}

export function captures(pipeline: readonly PipelineBlock[], what: 'patch' | 'outputs'): boolean {
  return pipeline.some((block) => block.kind === 'capture' && block.what === what);
}

/** The blocks a work states in place; those of a registered pipeline are known when its name is resolved. */
export function blocksOf(work: PlanItem | PlanTemplate | undefined): readonly PipelineBlock[] | undefined {
  const pipeline = work?.inputs?.pipeline;
  return typeof pipeline === 'string' ? undefined : pipeline;
}

/** The path of an output somebody names. */
export function checkPath(path: string, at: string, issues: InputIssue[]): void {
  try {
    assertSafePath(path);
  } catch (error) {
    issues.push({ path: at, message: error instanceof Error ? error.message : 'is not a safe path' });
  }
}
