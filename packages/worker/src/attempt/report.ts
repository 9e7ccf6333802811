import {
  type AttemptResult,
  type AttemptSpec,
  type BlockEvidence,
  limits,
  type ProductFacts,
  type ProductFile,
  truncateText,
  type Usage,
  type Verdict,
} from '@palisade/contracts';
import type { TestSet } from '@palisade/workspace';
import type { OutputLog } from '../output/output-log.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Ending } from './ending.ts';

const MAX_WARNINGS = 64;
const MAX_WARNING_CHARS = 500;
const MAX_REASON_CHARS = 2_000;
const MAX_DETAIL_CHARS = 2_000;
/** Longest summary of an agent, in characters. */
export const MAX_SUMMARY_CHARS = 8_000;

/**
 * Collects what an attempt leaves while it runs and writes the result from it. Every text that goes
 * in comes out redacted and bounded; addresses, paths and numbers are passed on as they are.
 */
export class AttemptReport {
  readonly #redactor: Redactor;
  readonly #log: OutputLog | null;
  readonly #startedAt = Date.now();
  readonly #blocks: BlockEvidence[] = [];
  readonly #warnings: string[] = [];
  readonly #files = new Map<string, ProductFile>();
  #product: ProductFacts = {};
  #posture: readonly string[] = [];
  #tests: TestSet | null = null;
  #moreWarnings = 0;

  constructor(redactor: Redactor, log: OutputLog | null) {
    this.#redactor = redactor;
    this.#log = log;
  }

  /** Something a person should know that did not end the attempt. Also a line of the log. */
  warn(text: string): void {
    this.#log?.warning(text);
    if (this.#warnings.length < MAX_WARNINGS) this.#warnings.push(this.#clean(text, MAX_WARNING_CHARS));
    else this.#moreWarnings++;
  }

  posture(posture: readonly string[]): void {
    this.#posture = posture;
  }

  block(evidence: BlockEvidence): void {
    this.#blocks.push(
      evidence.detail === undefined
        ? evidence
        : { ...evidence, detail: this.#clean(evidence.detail, MAX_DETAIL_CHARS) },
    );
  }

  get product(): Readonly<ProductFacts> {
    return this.#product;
  }

  /** The agent's own program did not end well. */
  get hasFailedAgent(): boolean {
    return this.#blocks.some(({ kind, status }) => kind === 'agent' && status === 'failed');
  }

  /** Adds or replaces facts of the product. */
  facts(facts: ProductFacts): void {
    this.#product = { ...this.#product, ...facts };
  }

  /** A later capture takes the place of an earlier one, also when it finds nothing or fails. */
  withdrawPatch(): void {
    this.#tests = null;
    const { result_ref: _ref, patch: _patch, conflicts_ref: _conflicts, ...rest } = this.#product;
    this.#product = rest;
    for (const name of this.#files.keys()) if (!name.startsWith('outputs/')) this.#files.delete(name);
  }

  withdrawOutputs(): void {
    const { outputs: _outputs, ...rest } = this.#product;
    this.#product = rest;
    for (const name of this.#files.keys()) if (name.startsWith('outputs/')) this.#files.delete(name);
  }

  summary(text: string): void {
    this.facts({ summary: this.#clean(text, MAX_SUMMARY_CHARS) });
  }

  usage(usage: Usage): void {
    const models = usage.models?.map((model) => this.#clean(model, 128));
    this.facts({ usage: models === undefined ? usage : { ...usage, models } });
  }

  verdict({ report, ...verdict }: Verdict & { readonly report: string }): void {
    this.facts({ verify: { ...verdict, report: this.#clean(report, limits.verifyReportChars, 'tail') } });
  }

  /** Test files of the patch captured last; null when nobody asked or nothing was captured. */
  get tests(): TestSet | null {
    return this.#tests;
  }

  testSet(tests: TestSet | null): void {
    this.#tests = tests;
  }

  /** Names a file, relative to `products/`; a file of the same name replaces the earlier one. */
  file(file: ProductFile): void {
    this.#files.set(file.file, file);
  }

  /** The attempt's end with everything it left. Whoever records it bounds the product. */
  result(spec: Pick<AttemptSpec, 'attempt_id'>, ending: Ending): AttemptResult {
    this.#unbindVerdict();
    const warnings =
      this.#moreWarnings === 0
        ? this.#warnings
        : [...this.#warnings, `and ${this.#moreWarnings} more warnings`];
    const { question, ...left } = this.#product;
    const product: ProductFacts = {
      ...left,
      ...(ending.outcome === 'needs_input' && question !== undefined ? { question } : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(this.#blocks.length === 0
        ? {}
        : { blocks: this.#blocks.map(({ detail: _detail, ...facts }) => facts) }),
    };
    return {
      schema_version: 1,
      attempt_id: spec.attempt_id,
      outcome: ending.outcome,
      ...(ending.exitCode === undefined ? {} : { exit_code: ending.exitCode }),
      ...(ending.code === undefined ? {} : { code: ending.code }),
      ...(ending.reason === undefined ? {} : { reason: this.#clean(ending.reason, MAX_REASON_CHARS) }),
      retryable: ending.retryable,
      posture: [...this.#posture],
      product,
      files: [...this.#files.values()],
      blocks: this.#blocks,
      ...(product.usage === undefined ? {} : { usage: product.usage }),
      started_at: this.#startedAt,
      finished_at: Date.now(),
    };
  }

  /** A verdict about another patch than the product's is none about the product (FF-143). */
  #unbindVerdict(): void {
    const { verify, result_ref } = this.#product;
    if (verify?.about === undefined || !verify.passed || verify.about.patch === result_ref) return;
    const why = 'not counted as passed: it was not about the patch that is the product';
    this.verdict({ ...verify, passed: false, report: [verify.report, why].filter(Boolean).join('\n') });
    this.warn(`the self-check is ${why}; capture the patch before it and change nothing after it`);
  }

  /** Text of the agent's for a place of its own, redacted and bounded. */
  text(text: string, maxChars: number): string {
    return this.#clean(text, maxChars);
  }

  #clean(text: string, maxChars: number, keep: 'head' | 'tail' = 'head'): string {
    return truncateText(this.#redactor.text(text), maxChars, keep);
  }
}
