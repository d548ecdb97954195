export { OwnedTraces } from './owned-traces.js';
export type { KeptText, ModelContent, ToolContent, TracedMessage, TracedPrompt } from './trace-content.js';
export { TraceRows } from './trace-rows.js';
export { TRACE_SETTINGS, type TraceSettings, TurnTracing } from './turn-tracing.js';
export { type TraceEntry, type TraceTotals, type TurnTrace, TurnTraces } from './turn-traces.js';
