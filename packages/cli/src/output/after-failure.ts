import { hadNoNetwork } from '@palisade/contracts';

/** What is known of an item that did not end well. */
export interface FailedItem {
  readonly id: string;
  readonly state: string;
  /** Code of the catalogue, when the cause is not the status of its own program. */
  readonly code?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/**
 * The next steps after an item failed or was denied, wherever that is told: at most two. What would end the same way again is not
 * among them.
 */
export function afterFailure(runId: string, item: FailedItem): string[] {
  const again = `pal rerun ${runId} --only-failed`;
  if (item.state === 'denied') {
    return item.code === 'approval_denied'
      ? [`pal inbox ${runId} --all`, again]
      : [
          'pal config explain policy',
          'change the plan, or ask whoever keeps the policy of this installation',
        ];
  }
  const logs = `pal logs ${runId}/${item.id}`;
  return hadNoNetwork(item.warnings)
    ? [logs, `pal run PLAN --allow-network, with "sandbox": {"network": true} in the item ${item.id}`]
    : [logs, again];
}

/** Why an attempt did not end well, with what its own words do not say: that there was no network. */
export function failureText(reason: string, warnings: readonly string[] | undefined): string {
  return hadNoNetwork(warnings) ? `${reason}; it looked for the network, which it did not have` : reason;
}
