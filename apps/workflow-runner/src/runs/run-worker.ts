import { hostname } from 'node:os';
import { derivedId, newId, SystemClock } from '@app/common';
import { executeRunJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { HandlesJob } from '@app/queues';
import { ToolCatalogue, type ToolPorts } from '@app/workflow-definition';
import { ActorRights, PostgresRunStore, qualifiedNodeId, toQuestionData, WorkflowSecrets } from '@app/workflows';
import { pureKind } from '@app/workflow-tools';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type ProgressEvent, type QuestionEvent, RunExecutor } from '../engine/index.js';
import { RunTurns } from './run-turns.js';
import { RunTexts } from './run-texts.js';
import { SandboxPool } from '../sandbox/sandbox-pool.js';
import { TOOL_PORTS } from '../ports/tool-ports.js';

/** Of the 8 s that a stop may take; the rest is for giving runs back and closing connections. */
const DRAIN_MS = 5000;

/** Enough for a loop to go round without a queue in between; more children than that spread over the workers. */
const OWN_RUNS = 4;

/** Injects how many runs this process works on, as the setting says. */
export const RUNS_AT_ONCE = Symbol('RUNS_AT_ONCE');

/** Takes the jobs of a run, and lets go of all runs when the process has to end. */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(RunWorker.name);
  private readonly workerId = `${hostname()}:${process.pid}:${newId().slice(0, 8)}`;
  private readonly executor: RunExecutor;
  private readonly turns: RunTurns;

  constructor(
    private readonly store: PostgresRunStore,
    private readonly live: LiveBus,
    catalogue: ToolCatalogue,
    secrets: WorkflowSecrets,
    rights: ActorRights,
    @Inject(TOOL_PORTS) ports: ToolPorts,
    sandbox: SandboxPool,
    @Inject(RUNS_AT_ONCE) concurrency: number,
  ) {
    const texts = new RunTexts(live);
    this.executor = new RunExecutor({
      store,
      catalogue,
      ports,
      secrets,
      rights,
      workerId: this.workerId,
      ownRuns: OWN_RUNS,
      apart: { sandbox, inlineBytes: (kind) => pureKind(kind)?.inlineBytes },
      clock: new SystemClock(),
      logger: {
        log: (message, fields) => this.logger.log({ message, ...fields }),
        warn: (message, fields) => this.logger.warn({ message, ...fields }),
        error: (message, fields) => this.logger.error({ message, ...fields }),
      },
      onProgress: (event) => this.announce(event),
      onQuestion: (event) => this.ask(event),
      onText: (event) => texts.write(event),
    });
    this.turns = new RunTurns(
      concurrency,
      (runId) => this.executor.execute(runId),
      (runId, error) => this.logger.warn({ message: 'A run could not be taken up', runId, error: String(error) }),
    );
  }

  onApplicationBootstrap(): void {
    // Only quicker than the heartbeat, so a subscription that comes late, with Redis, is good enough.
    this.live
      .subscribe('runs:stop', ({ runId }) => this.executor.abandon(runId))
      .catch((error: Error) => this.logger.warn(`Stops are not pushed: ${error.message}`));
    this.live
      .subscribe('runs:signal', ({ runId }) => this.executor.noteSignals(runId))
      .catch((error: Error) => this.logger.warn(`Signals are not pushed: ${error.message}`));
  }

  @HandlesJob(executeRunJob)
  async execute({ runId, ownerId }: { runId: string; ownerId?: number }): Promise<void> {
    await this.inTurn(runId, ownerId);
    for (let next = this.store.nextTurnedAway(); next !== null; next = this.store.nextTurnedAway())
      await this.inTurn(next);
  }

  /** Before the queues close: they wait for the runs at work. */
  async onModuleDestroy(): Promise<void> {
    this.store.drain();
    await this.executor.drain(DRAIN_MS);
    const released = await this.store.releaseAll(this.workerId);
    if (released > 0) this.logger.log(`Gave ${released} runs back.`);
  }

  private async inTurn(runId: string, ownerId?: number): Promise<void> {
    // Of webhooks, which have one run of a workflow at a time.
    if (ownerId !== undefined) return this.turns.take(ownerId, runId);
    const found = await this.store.whose(runId);
    if (found) await this.turns.take(found.ownerId, runId, found.workflowId);
  }

  private announce({ workflowId, bodyPath, nodeId, update }: ProgressEvent): void {
    const telemetry =
      typeof update === 'number'
        ? { event_type: 'stage:progress', event: { percent: Math.round(update * 100) } }
        : { event_type: 'stage:working', event: { message: update } };
    this.live.publish(`workflow:${workflowId}`, {
      type: 'agent_response',
      nodeExecutionId: derivedId(workflowId, qualifiedNodeId(bodyPath, nodeId)),
      data: { status: 'telemetry', ...telemetry },
    });
  }

  private ask({
    workflowId,
    runId,
    version,
    bodyPath,
    nodeId,
    questionId: id,
    question,
    expiresAt,
  }: QuestionEvent): void {
    const wait = { reason: 'input' as const, id, question, ...(expiresAt !== null && { until: expiresAt }) };
    const data = toQuestionData({ runId, version }, nodeId, wait);
    if (!data) return;
    this.live.publish(`workflow:${workflowId}`, {
      type: 'agent_response',
      nodeExecutionId: derivedId(workflowId, qualifiedNodeId(bodyPath, nodeId)),
      data: { ...data },
    });
  }
}
