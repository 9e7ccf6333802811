import type { Check, ManifestInput, ProductFacts } from '@palisade/contracts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { AddressedManifest } from './check-manifests.ts';
import { Problems } from './problems.ts';

/**
 * DI-250: closure of provenance. Every input taken from another item must be that item's product,
 * selected as its manifest declares (`patch`, or the output of that path), and recorded `done`
 * earlier in the ledger than the consumer was fired. One pass in ledger order.
 */
export function checkHandoff(events: readonly LedgerEvent[], manifests: readonly AddressedManifest[]): Check {
  const problems = new Problems();
  const byRef = new Map(manifests.map(({ ref, manifest }) => [ref, manifest]));
  const produced = new Produced();
  let handed = 0;
  let given = 0;
  for (const event of events) {
    if (event.type === 'item.reconciled' && event.data.status === 'done')
      produced.add(event.data.item, event.data.product ?? {});
    if (event.type !== 'item.fired') continue;
    const places = new Set<string>();
    for (const input of byRef.get(event.data.manifest_ref)?.inputs ?? []) {
      const what = `item ${event.data.item} input ${input.key}`;
      // Files stand at inputs/<key>; a patch is applied to the base once, whatever edges lead to it.
      const place = 'from' in input && input.applied ? `patch of ${input.from}` : `file ${input.key}`;
      if (places.has(place)) problems.add(`${what} is given twice`);
      places.add(place);
      if (!('from' in input)) {
        given++;
        continue;
      }
      handed++;
      const problem = produced.problemOf(input);
      if (problem !== null) problems.add(`${what}: ${input.ref} ${problem}`);
    }
  }
  const outside = given === 0 ? '' : `; ${given} given by the plan itself`;
  return problems.row(
    'handoff',
    handed === 0
      ? { ok: 'n/a', detail: `no handoff edges${outside}` }
      : { ok: true, detail: `${handed} input ref(s) accounted for${outside}` },
  );
}

/** The products recorded so far, indexed both ways so that each input costs two look-ups. */
class Produced {
  readonly #byItem = new Map<
    string,
    { readonly patch: string | undefined; readonly outputs: Map<string, string> }
  >();
  readonly #producerOf = new Map<string, string>();

  add(item: string, product: ProductFacts): void {
    const outputs = product.outputs ?? [];
    this.#byItem.set(item, {
      patch: product.result_ref,
      outputs: new Map(outputs.map((output) => [output.path, output.ref])),
    });
    for (const ref of [product.result_ref, ...outputs.map((output) => output.ref)])
      if (ref !== undefined && !this.#producerOf.has(ref)) this.#producerOf.set(ref, item);
  }

  problemOf(input: Extract<ManifestInput, { readonly from: string }>): string | null {
    const { from, select, ref } = input;
    const source = this.#byItem.get(from);
    const selected = select.kind === 'patch' ? source?.patch : source?.outputs.get(select.path);
    if (selected === ref) return null;
    if (selected !== undefined) return `is not what its declared edge selects from ${from}`;
    const producer = this.#producerOf.get(ref);
    if (producer === undefined) return 'not produced by any item in this run before it was used';
    return producer === from
      ? `is not what its declared edge selects from ${from}`
      : `was produced by ${producer}, not by ${from}`;
  }
}
