import { setTimeout } from 'node:timers/promises';
import { findLostFollowers } from '@app/access';
import type { Principal } from '@app/auth';
import { AutoResetEvent } from '@app/common';
import type { WorkflowLiveMessage } from '@app/contracts';
import { LiveBus } from '@app/live';
import { RunChanges, RunHistory } from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { followUntilLeft } from '../../http/open-answers.js';
import { positionOf, RunEventStream } from './run-event-stream.js';

/** Changes are looked for at most this often; a burst becomes a few batches. */
const INTERVAL_MS = 100;
/** The notification may be lost. Rights that were taken away are noticed after this long, too. */
const POLL_MS = 4_000;
const KEEP_ALIVE_MS = 15_000;
const SUBSCRIBE_MS = 1_000;
/** Progress of tools that a slow client has not taken yet; what is beyond is dropped. */
const MAX_PROGRESS = 100;

type Progress = Extract<WorkflowLiveMessage, { type: 'agent_response' }>;

interface Followed {
  workflowId: string;
  version: number;
  principal: Principal;
  lastEventId: string | undefined;
}

/** Lets clients follow a run as it goes on, over any api process and from where they left off. */
@Injectable()
export class RunEvents {
  private readonly logger = new Logger(RunEvents.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly changes: RunChanges,
    private readonly history: RunHistory,
  ) {}

  /** For a run that is there and a viewer who may see it. Returns when the run has ended or the client has gone. */
  async follow(response: Response, followed: Followed): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // Followers go on at another replica.
    followUntilLeft(response, () => gone.abort());
    const changes = new Changes(gone.signal, followed.version);
    const subscription = this.live.subscribe(`workflow:${followed.workflowId}`, (message) => changes.hear(message));
    subscription.catch((error: Error) => this.logger.warn(`Changes are only polled: ${error.message}`));
    // Without Redis the polls have to do.
    await Promise.race([subscription.catch(() => null), setTimeout(SUBSCRIBE_MS, null, { ref: false })]);
    try {
      const stream = new RunEventStream(response, followed.version, gone.signal);
      await this.send(stream, followed, changes);
    } catch (error) {
      if (!gone.signal.aborted) {
        this.logger.warn(`The events of a run broke off: ${String(error)}`);
        response.destroy();
      }
    } finally {
      gone.abort();
      response.end();
      void subscription.then(
        (unsubscribe) => unsubscribe(),
        () => null,
      );
    }
  }

  private async send(stream: RunEventStream, followed: Followed, changes: Changes): Promise<void> {
    const { workflowId, version } = followed;
    await stream.open();
    const position = positionOf(followed.lastEventId, version);
    const since = position !== null && (await this.changes.isKnown(position)) ? position : null;
    let change = await this.changes.read(workflowId, version, since, true);
    let run = await this.history.findRecord(workflowId, version);
    if (change && run) await (since === null ? stream.sendSnapshot(change, run) : stream.resume(since, change, run));
    if (since === null && change && run && !change.isActive) await stream.sendChange(change, run);
    let lastKeptAlive = Date.now();
    let lastChecked = Date.now();
    while (change?.isActive && run) {
      const { status } = change;
      await changes.wait(Math.min(POLL_MS, lastKeptAlive + KEEP_ALIVE_MS - Date.now()));
      for (const { nodeExecutionId, data } of changes.takeProgress()) await stream.sendProgress(nodeExecutionId, data);
      if (Date.now() - lastChecked >= POLL_MS) {
        lastChecked = Date.now();
        if (!(await this.mayStay(followed))) return stream.close();
      }
      if (Date.now() - lastKeptAlive >= KEEP_ALIVE_MS) {
        lastKeptAlive = Date.now();
        await stream.keepAlive();
      }
      change = await this.changes.read(workflowId, version, stream.sentUpTo, false);
      // Once more in full: nodes without a row of their own end with the run.
      if (change && !change.isActive) change = await this.changes.read(workflowId, version, null, true);
      if (!change) break;
      if (change.status !== status) run = await this.history.findRecord(workflowId, version);
      await stream.sendChange(change, change.status === status ? null : run);
    }
    if (change && run) await stream.end(run);
    else stream.close();
  }

  private async mayStay({ workflowId, principal }: Followed): Promise<boolean> {
    const { userId, sessionId } = principal;
    const lost = await findLostFollowers(this.dataSource, 'workflow', [{ userId, sessionId, subject: workflowId }]);
    return lost.length === 0;
  }
}

/** What one follower has to be told: that nodes changed, at most every 100 ms, and what tools report. */
class Changes {
  private readonly progress: Progress[] = [];
  private readonly heard = new AutoResetEvent();

  constructor(
    private readonly signal: AbortSignal,
    private readonly version: number,
  ) {}

  hear(message: WorkflowLiveMessage): void {
    if (message.type === 'agent_response') {
      const { status, run_version: version = this.version } = message.data;
      if (status !== 'telemetry' || version !== this.version || this.progress.length >= MAX_PROGRESS) return;
      this.progress.push(message);
    } else if (message.type !== 'nodes_changed') return;
    this.heard.set();
  }

  takeProgress(): Progress[] {
    return this.progress.splice(0);
  }

  /** Until the nodes change, a tool reports progress, or the time is over. @throws the signal's reason when it aborts */
  async wait(milliseconds: number): Promise<void> {
    await setTimeout(INTERVAL_MS, undefined, { signal: this.signal });
    await this.heard.wait(milliseconds - INTERVAL_MS, this.signal);
    this.signal.throwIfAborted();
  }
}
