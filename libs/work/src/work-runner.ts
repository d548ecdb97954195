import { JobQueues, JobWorkers, Outbox, PeriodicTasks } from '@app/queues';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { WorkDefinition } from './define-work.js';
import { LeaseKeeper } from './lease-keeper.js';
import { PERFORMS } from './performs.js';
import { WorkClaims, type ForgottenRow } from './work-claims.js';
import { WorkPerformer, type Work } from './work-performer.js';

interface WithoutQueue {
  waiting: ForgottenRow<WorkDefinition<object>>[];
  underWay: Set<Promise<void>>;
}

/** Lets the methods marked by `@Performs` work: for a job, and on what was forgotten. */
@Injectable()
export class WorkRunner implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(WorkRunner.name);
  private readonly works = new Map<WorkDefinition<object>, Work<object>>();
  /** What goes on without the queue, of each kind. */
  private readonly withoutQueue = new Map<WorkDefinition<object>, WithoutQueue>();

  constructor(
    private readonly sweepSeconds: number,
    private readonly claims: WorkClaims,
    private readonly keeper: LeaseKeeper,
    private readonly performer: WorkPerformer,
    private readonly workers: JobWorkers,
    private readonly outbox: Outbox,
    private readonly jobQueues: JobQueues,
    private readonly tasks: PeriodicTasks,
    private readonly nest: { discovery: DiscoveryService; scanner: MetadataScanner; reflector: Reflector },
  ) {}

  onModuleInit(): void {
    for (const { definition, owner, work } of this.find()) {
      this.works.set(definition, work);
      this.workers.handle(definition.job, owner, async ({ key }) => {
        await this.performer.perform(definition, key, work);
      });
    }
    if (this.works.size > 0) this.tasks.every('forgotten work', this.sweepSeconds, () => this.sweep());
  }

  /** Before the queues are closed, which wait for the work of this process. */
  async onModuleDestroy(): Promise<void> {
    this.keeper.stop();
    await Promise.all([...this.withoutQueue.values()].flatMap(({ underWay }) => [...underWay]));
  }

  /** Brings back work whose worker was lost, or its job. Adding one for what still waits in the queue does nothing. */
  async sweep(): Promise<void> {
    const definitions = [...this.works.keys()];
    for (const definition of definitions) await this.claims.showLost(definition);
    const forgotten = await this.claims.listForgotten(definitions);
    if (forgotten.length === 0) return;
    try {
      await this.jobQueues.add(
        forgotten.map(({ definition, key, fence }) => this.outbox.prepare(definition.job, { key, fence })),
      );
    } catch (error) {
      this.logger.warn(`Work goes on without the queue: ${String(error)}`);
      this.performSome(forgotten);
    }
  }

  /** Without the queue, a few of each kind at a time: a long piece holds up its own kind alone. */
  private performSome(forgotten: readonly ForgottenRow<WorkDefinition<object>>[]): void {
    for (const [definition, rows] of Map.groupBy(forgotten, (row) => row.definition)) {
      const kept = this.withoutQueue.get(definition) ?? { waiting: [], underWay: new Set() };
      this.withoutQueue.set(definition, kept);
      // What was found before and is not any more is somebody else's by now.
      kept.waiting = [...rows];
      const free = (definition.atOnceWithoutQueue ?? 1) - kept.underWay.size;
      for (let lane = 0; lane < Math.min(free, rows.length); lane += 1) {
        const performed: Promise<void> = this.performEach(definition, kept)
          .catch((error: unknown) => this.logger.error(error))
          .finally(() => kept.underWay.delete(performed));
        kept.underWay.add(performed);
      }
    }
  }

  private async performEach(definition: WorkDefinition<object>, kept: WithoutQueue): Promise<void> {
    for (let row = kept.waiting.shift(); row; row = kept.waiting.shift()) {
      if (this.keeper.isStopping) return;
      await this.performer.perform(definition, row.key, this.works.get(definition)!);
    }
  }

  private find(): { definition: WorkDefinition<object>; owner: string; work: Work<object> }[] {
    const { discovery, scanner, reflector } = this.nest;
    const found = [];
    for (const { instance } of discovery.getProviders()) {
      if (!instance || typeof instance !== 'object') continue;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const method = (instance as Record<string, unknown>)[name];
        if (typeof method !== 'function') continue;
        const definition = reflector.get<WorkDefinition<object> | undefined>(PERFORMS, method);
        if (!definition) continue;
        const owner = `${(instance as object).constructor.name}.${name}`;
        found.push({ definition, owner, work: method.bind(instance) as Work<object> });
      }
    }
    return found;
  }
}
