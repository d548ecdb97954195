import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Seconds; from a cached answer to a chat. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What a process tells Prometheus: about itself, and about the requests that it answers. */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests: Histogram<'method' | 'status'>;

  constructor(app: string) {
    this.registry.setDefaultLabels({ app });
    collectDefaultMetrics({ register: this.registry });
    this.requests = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its answer.',
      labelNames: ['method', 'status'],
      buckets: BUCKETS,
      registers: [this.registry],
    });
  }

  observeRequest(method: string, status: number, seconds: number): void {
    // A class of statuses, not each of them: few series, and no path, which may hold ids.
    this.requests.observe({ method, status: `${Math.floor(status / 100)}xx` }, seconds);
  }
}
