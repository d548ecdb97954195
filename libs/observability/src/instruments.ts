import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * What a process tells Prometheus. All instruments of the platform stand here, so that the dashboard and the alerts in
 * `docker/` can be checked against them. Labels take few values: never an id, a path with ids or a person.
 */
export const registry = new Registry();

const registers = [registry];

/** Seconds; from a cached answer to a chat. */
const REQUEST_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** Seconds; from a run of two nodes to an hour of OCR. */
const WORK_BUCKETS = [0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600];
const LAG_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];
const MODEL_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its answer, by route template.',
  labelNames: ['method', 'route', 'status'],
  buckets: REQUEST_BUCKETS,
  registers,
});

export const workEnded = new Counter({
  name: 'atrium_work_ended_total',
  help: 'Pieces of work that ended: runs, turns, documents, imports of tables, syncs of sources.',
  labelNames: ['work', 'outcome'],
  registers,
});

export const workSeconds = new Histogram({
  name: 'atrium_work_duration_seconds',
  help: 'Time from the start of the work to its end, waiting for people included.',
  labelNames: ['work'],
  buckets: WORK_BUCKETS,
  registers,
});

export const nodesEnded = new Counter({
  name: 'atrium_nodes_ended_total',
  help: 'Tries of nodes of workflows, by kind of node and how the try ended.',
  labelNames: ['kind', 'outcome'],
  registers,
});

export const retries = new Counter({
  name: 'atrium_retries_total',
  help: 'Work that is tried again after it failed.',
  labelNames: ['work'],
  registers,
});

export const leasesLost = new Counter({
  name: 'atrium_leases_lost_total',
  help: 'Work whose process was lost, or too slow to hold on to it.',
  labelNames: ['work'],
  registers,
});

export const webhookLag = new Histogram({
  name: 'atrium_webhook_lag_seconds',
  help: 'Time from the acceptance of a webhook call to the start of its run, its place in the queue included.',
  buckets: LAG_BUCKETS,
  registers,
});

export const scheduleLag = new Histogram({
  name: 'atrium_schedule_lag_seconds',
  help: 'Time from the moment that a schedule names to the start of its run.',
  buckets: LAG_BUCKETS,
  registers,
});

export const modelSeconds = new Histogram({
  name: 'atrium_model_call_duration_seconds',
  help: 'Time of a call to a language model, to the end of its answer.',
  labelNames: ['model', 'outcome'],
  buckets: MODEL_BUCKETS,
  registers,
});

export const modelTokens = new Counter({
  name: 'atrium_model_tokens_total',
  help: 'Tokens of language models: prompt (cached ones included), completion, and cached.',
  labelNames: ['model', 'type'],
  registers,
});

export const modelErrors = new Counter({
  name: 'atrium_model_errors_total',
  help: 'Calls to language models that failed, by the code that clients see.',
  labelNames: ['model', 'code'],
  registers,
});

export const modelCost = new Counter({
  name: 'atrium_model_cost_total',
  help: 'Cost of language models in the currency of the deployment; calls without a price cost nothing here.',
  labelNames: ['model', 'currency'],
  registers,
});

export const cacheReads = new Counter({
  name: 'atrium_cache_reads_total',
  help: 'Reads of caches inside the process.',
  labelNames: ['cache', 'result'],
  registers,
});

export const jobSeconds = new Histogram({
  name: 'atrium_job_duration_seconds',
  help: 'Time that a job of the queue was at work in this process.',
  labelNames: ['job', 'outcome'],
  buckets: WORK_BUCKETS,
  registers,
});

export const openSockets = new Gauge({
  name: 'atrium_sockets_open',
  help: 'WebSockets that are open to this process.',
  registers,
});

/** The first call names the process in every series, and adds what Node.js tells of itself. */
export function startMetrics(app: string): Registry {
  registry.setDefaultLabels({ app });
  if (!registry.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics({ register: registry });
  return registry;
}
