import { toPalisadeError, PRODUCT_VERSION } from '@palisade/contracts';
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/*
 * Spans for whoever registered an OpenTelemetry SDK in this process; without one all of this does nothing. A span says which operation, how
 * it ended and under which request id the log has more: never who called, with what, or what a fault said.
 */
const tracer = trace.getTracer('palisade', PRODUCT_VERSION);

const headerGetter = {
  keys: (headers: Headers) => [...headers.keys()],
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

/** Does a request's work within a span, whose parent is the one that the request's `traceparent` names. */
export function inRequestSpan<T>(request: Request, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = propagation.extract(context.active(), request.headers, headerGetter);
  const attributes = { 'http.request.method': request.method };
  return tracer.startActiveSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent, (span) =>
    ended(span, () => work(span)),
  );
}

/** Says of a request's span what it was and came to. */
export function describeRequest(
  span: Span,
  facts: {
    readonly id: string;
    readonly operation: string | null;
    readonly method: string;
    readonly status: number;
  },
): void {
  if (!span.isRecording()) return;
  if (facts.operation !== null) span.updateName(`${facts.method} ${facts.operation}`);
  span.setAttributes({
    'http.response.status_code': facts.status,
    'palisade.request_id': facts.id,
    ...(facts.operation === null ? {} : { 'palisade.operation': facts.operation }),
  });
  if (facts.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Calls an operation within a span of its name. */
export function inOperationSpan<T>(operation: string, work: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(operation, { attributes: { 'palisade.operation': operation } }, (span) =>
    ended(span, work),
  );
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = toPalisadeError(error);
    span.setAttribute('error.type', code);
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
