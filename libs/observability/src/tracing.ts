import { currentContext, newId, runInContext, type RequestContext } from '@app/common';
import type { AppConfig } from '@app/config';
import {
  ROOT_CONTEXT,
  type Attributes,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';

let tracer: Tracer | null = null;

/** `server` answers a request, `consumer` works on a job, `client` asks something outside. */
const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

export interface SpanOptions {
  /** `internal` unless told. */
  kind?: keyof typeof KINDS;
  attributes?: Attributes;
}

/**
 * From now on spans are exported over OTLP, to where the usual variables say (the exporter reads those for addresses,
 * headers, time limits and sampling itself). Without it, spans cost a comparison, and traces are only handed on.
 * @returns ends it, and sends what is left
 */
export async function startTracing(app: string, { protocol }: AppConfig['tracing']): Promise<() => Promise<void>> {
  // Many files, which nobody else has to load.
  const sdk = await import('@opentelemetry/sdk-trace-base');
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } =
    await import('@opentelemetry/resources');
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const own = resourceFromAttributes({ 'service.name': `atrium-${app}`, 'service.namespace': 'atrium' });
  const provider = new sdk.BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  tracer = provider.getTracer('atrium');
  return async () => {
    tracer = null;
    await provider.shutdown();
  };
}

/** A span whose end its maker tells. */
export class OpenSpan {
  constructor(private readonly span: Span) {}

  /** For those who do the work inside: what `RequestContext.trace` is to be. */
  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`;
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  /** @param code why it failed, as clients see it */
  end(code?: string): void {
    if (code !== undefined) this.span.setStatus({ code: SpanStatusCode.ERROR, message: code });
    this.span.end();
  }
}

/** A span below the one at work, or the first of its trace. Null where nobody traces. */
export function openSpan(name: string, { kind = 'internal', attributes = {} }: SpanOptions = {}): OpenSpan | null {
  if (!tracer) return null;
  const parent = currentContext()?.trace?.split('-');
  const under = parent
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: parent[1]!,
        spanId: parent[2]!,
        traceFlags: Number.parseInt(parent[3]!, 16),
        isRemote: true,
      })
    : ROOT_CONTEXT;
  return new OpenSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes }, under));
}

/** Does the work inside a span, which ends with it; what fails is marked with its code. */
export async function withSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const span = openSpan(name, options);
  if (!span) return work();
  try {
    const result = await runInContext(traced(span.traceparent), work);
    span.end();
    return result;
  } catch (error) {
    const { code } = error as { code?: unknown };
    span.end(typeof code === 'string' ? code : 'error');
    throw error;
  }
}

/** The present context with another trace; what is told of it, such as who is calling, stays shared. */
function traced(traceparent: string): RequestContext {
  const present = currentContext() ?? { requestId: newId() };
  return Object.create(present, { trace: { value: traceparent, enumerable: true } }) as RequestContext;
}
