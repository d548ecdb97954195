import { Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { registry } from './instruments.js';

/** What waits for a worker: how much, and since when the oldest. */
export interface Backlog {
  waiting: number;
  oldestSeconds: number;
}

/** Scrapes that follow each other closely share one reading. */
const FRESH_MS = 5_000;
/** A database that hangs must not make the scrape hang. */
const PATIENCE_MS = 3_000;

const readers = new Map<string, Reading<Record<string, Backlog>>>();
const logger = new Logger('Metrics');

/** Of rows, not of the queue: right while Redis is away, and the same from every replica. */
const waiting = backlogGauge(
  'atrium_backlog_waiting',
  'Pieces of work that wait for a worker, by kind.',
  (backlog) => backlog.waiting,
);

const oldest = backlogGauge(
  'atrium_backlog_oldest_seconds',
  'Age of the oldest piece of work that waits, by kind; 0 when nothing waits.',
  (backlog) => backlog.oldestSeconds,
);

function backlogGauge(name: string, help: string, valueOf: (backlog: Backlog) => number): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: ['work'],
    registers: [registry],
    async collect() {
      for (const reading of readers.values())
        for (const [work, backlog] of Object.entries((await reading.get()) ?? {})) this.set({ work }, valueOf(backlog));
    },
  });
}

/** Asks for what waits when Prometheus comes, at most every 5 seconds. @param name of the asker; a second one replaces it */
export function measureBacklog(name: string, read: () => Promise<Record<string, Backlog>>): void {
  readers.set(name, new Reading(name, read));
  // What another owner of this name has told is gone with it.
  waiting.reset();
  oldest.reset();
}

/** A gauge whose values are read when Prometheus comes. @param read label value to value; called at each scrape, must not throw */
export function measureNow(name: string, help: string, label: string, read: () => Record<string, number>): void {
  registry.removeSingleMetric(name);
  const gauge = new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [value, number] of Object.entries(read())) gauge.set({ [label]: value }, number);
    },
  });
}

/** The last reading, renewed when it is old; the one before stays where a new one fails or is late. */
class Reading<T> {
  private value: T | undefined;
  private readAt = 0;
  private renewal: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly name: string,
    private readonly read: () => Promise<T>,
  ) {}

  async get(): Promise<T | undefined> {
    if (Date.now() - this.readAt >= FRESH_MS) {
      this.readAt = Date.now();
      this.renewal = this.renew();
    }
    await this.renewal;
    return this.value;
  }

  private async renew(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS)));
    await Promise.race([this.take(), late]);
    clearTimeout(timer);
  }

  private async take(): Promise<void> {
    try {
      this.value = await this.read();
    } catch (error) {
      logger.warn(`The metric ${this.name} could not be read: ${String(error)}`);
    }
  }
}
