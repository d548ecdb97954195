import { contextOfOrigin, newId, runInContext } from '@app/common';
import type { JobDefinition, QueueName } from '@app/contracts';
import { instruments, withSpan } from '@app/observability';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import Bull, { type Job, type Queue } from 'bull';
import type { JobEnvelope } from './job-queues.js';
import { HANDLES_JOB } from './handles-job.js';
import { RedisConnections } from './redis-connections.js';
import { grouped, patient } from './redis-options.js';
import { QUEUES_OPTIONS, type QueuesOptions } from './tokens.js';

interface Handler {
  job: JobDefinition<unknown>;
  owner: string;
  handle: (payload: unknown) => Promise<void>;
}

/** How long a stop waits for jobs at work; what is not done by then is taken over by its lease. */
const DRAIN_MS = 7000;

/**
 * Takes jobs from the queues of this process. Bull's own stalled check only saves a notification; who may
 * work is decided by the claim in SQL, so its limits are generous.
 */
@Injectable()
export class JobWorkers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(JobWorkers.name);
  private readonly queues: Queue<JobEnvelope>[] = [];
  private readonly given = new Map<string, Handler>();

  constructor(
    @Inject(QUEUES_OPTIONS) private readonly options: QueuesOptions,
    private readonly connections: RedisConnections,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /**
   * Has the job worked on by this process, like `@HandlesJob`; before the application is bootstrapped.
   * @param owner names the handler in messages
   */
  handle<P>(job: JobDefinition<P>, owner: string, handle: (payload: P) => Promise<void>): void {
    this.add(this.given, { job, owner, handle } as Handler);
  }

  /** Jobs of the queue that this process does at a time. */
  placesOf(queue: QueueName): number {
    return this.options.consumes[queue] ?? 0;
  }

  onApplicationBootstrap(): void {
    const handlers = this.findHandlers();
    for (const [name, concurrency] of Object.entries(this.options.consumes) as [QueueName, number][]) {
      const own = handlers.filter(({ job }) => job.queue === name);
      if (own.length === 0)
        throw new Error(`This process consumes the queue ${name}, but no method handles a job of it.`);
      const queue = this.openQueue(name);
      for (const handler of own) this.listen(queue, handler, concurrency);
      this.queues.push(queue);
    }
    const idle = handlers.filter(({ job }) => !(job.queue in this.options.consumes));
    if (idle.length > 0)
      throw new Error(
        `${idle[0]!.owner} handles ${idle[0]!.job.name}, but this process does not consume ${idle[0]!.job.queue}.`,
      );
  }

  async beforeApplicationShutdown(): Promise<void> {
    const drained = Promise.all(this.queues.map((queue) => queue.close()));
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())]);
  }

  private listen(queue: Queue<JobEnvelope>, handler: Handler, concurrency: number): void {
    queue
      .process(handler.job.name, concurrency, (job) => this.work(handler, job))
      // It ends with the queue; where the process stops before it could begin, by an error, or by nothing at all.
      .catch((error?: Error) => this.logger.warn(`Queue ${queue.name}: ${error?.message ?? 'stopped at its start'}`));
  }

  private async work({ job, handle }: Handler, { data }: Job<JobEnvelope>): Promise<void> {
    const payload = job.payload.safeParse(data.payload);
    if (!payload.success) {
      this.logger.error(`A ${job.name} job carries no usable payload and is dropped.`);
      return;
    }
    await runInContext(
      { ...contextOfOrigin(data.requestId ?? newId()), job: `${job.name}:${job.key(payload.data)}` },
      async () => {
        const observe = instruments.jobSeconds.startTimer({ job: job.name });
        try {
          await withSpan(`job ${job.name}`, { kind: 'consumer' }, () => handle(payload.data));
          observe({ outcome: 'completed' });
        } catch (error) {
          observe({ outcome: 'failed' });
          // The row is the truth: its sweeper brings the work back.
          this.logger.error(error);
        }
      },
    );
  }

  private openQueue(name: QueueName): Queue<JobEnvelope> {
    const queue = new Bull<JobEnvelope>(name, {
      prefix: `${this.options.keyPrefix}:bull`,
      createClient: (type) => this.connectionOf(type),
      settings: {
        lockDuration: 15_000,
        stalledInterval: 10_000,
        maxStalledCount: 100,
        retryProcessDelay: 500,
        drainDelay: 5,
      },
    });
    queue.on('error', (error) => this.logger.warn(`Queue ${name}: ${error.message}`));
    // Bull names its connections by a promise that nobody holds, and a stop before the answer rejects it.
    Object.assign(queue, { setWorkerName: () => Promise.resolve() });
    return queue;
  }

  /** Who waits for the next job blocks a connection. */
  private connectionOf(type: 'client' | 'subscriber' | 'bclient') {
    if (type === 'bclient') return this.connections.connect(patient);
    return type === 'client'
      ? this.connections.shared('working', grouped)
      : this.connections.shared('listening', patient);
  }

  private findHandlers(): Handler[] {
    const found = new Map(this.given);
    for (const { instance } of this.discovery.getProviders()) {
      if (!instance || typeof instance !== 'object') continue;
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const callback = (instance as Record<string, unknown>)[method];
        if (typeof callback !== 'function') continue;
        const job = this.reflector.get<JobDefinition<unknown> | undefined>(HANDLES_JOB, callback);
        if (!job) continue;
        const owner = `${(instance as object).constructor.name}.${method}`;
        this.add(found, { job, owner, handle: callback.bind(instance) as Handler['handle'] });
      }
    }
    return [...found.values()];
  }

  private add(handlers: Map<string, Handler>, handler: Handler): void {
    const other = handlers.get(handler.job.name);
    if (other) throw new Error(`The job ${handler.job.name} has two handlers: ${other.owner} and ${handler.owner}.`);
    handlers.set(handler.job.name, handler);
  }
}
