import type { PipelineBlock } from './agent.ts';
import type { InputIssue } from './errors.ts';

/**
 * Self-checks whose verdict cannot be about the patch that becomes the product, each with its place among the blocks: the agent changed
 * something that is captured only after the check. Such a verdict is not counted (FF-143). No error, since the check still runs and is reported.
 */
export function uncountedChecks(blocks: readonly PipelineBlock[]): InputIssue[] {
  const isCapture = (block: PipelineBlock): boolean => block.kind === 'capture' && block.what === 'patch';
  const last = blocks.findLastIndex(isCapture);
  return blocks.flatMap((block, i) => {
    if (block.kind !== 'script' || block.lens !== 'verify') return [];
    const captured = blocks.slice(0, i).findLastIndex(isCapture);
    const changes = blocks.slice(captured + 1, last + 1).some(({ kind }) => kind === 'agent');
    return changes
      ? [
          {
            path: `[${i}]`,
            message:
              'this self-check does not count: the patch is captured after it; put {"kind": "capture", "what": "patch"} between the agent and the check',
          },
        ]
      : [];
  });
}
