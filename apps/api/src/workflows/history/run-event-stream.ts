import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { NodeRow, RunChange, RunRecord } from '@app/workflows';
import type { Response } from 'express';
import { toNodeRowResponse } from '../node-row.dto.js';
import { beginEventStream } from '../../http/event-stream.js';
import { toRunResponse } from './history.dto.js';

/** A client that takes nothing for so long is gone. */
const STUCK_MS = 60_000;
/** What a client waits before it comes back. */
const RETRY_MS = 3_000;

interface RunEvent {
  name: string;
  data: unknown;
}

/**
 * Writes the events of one run (docs/contract/workflows.md#history). Ids are `<version>.<position>.<n>`: a batch
 * keeps the position that it
 * started from until its last event, so that a client that was cut off in between gets the whole batch again.
 */
export class RunEventStream {
  private readonly seen = new Map<string, string>();
  private readonly asked = new Set<string>();
  private position: string | null = null;
  private count = 0;

  constructor(
    private readonly response: Response,
    private readonly version: number,
    private readonly signal: AbortSignal,
  ) {}

  async open(): Promise<void> {
    beginEventStream(this.response);
    await this.write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Changes up to here have been sent; null before the first. */
  get sentUpTo(): string | null {
    return this.position;
  }

  /** A client that has seen nothing yet: the run as it stands. */
  async sendSnapshot(change: RunChange, run: RunRecord): Promise<void> {
    for (const node of change.nodes) this.seen.set(node.nodeId, textOf(node));
    this.position = change.position;
    const snapshot = {
      name: 'snapshot',
      data: { run: toRunResponse(run), nodes: change.nodes.map(toNodeRowResponse) },
    };
    await this.events([snapshot, ...this.newQuestions(change)], change.position);
  }

  /** A client that was here before: what has changed since. */
  async resume(since: string, change: RunChange, run: RunRecord): Promise<void> {
    this.position = since;
    for (const node of change.nodes) if (!change.changed.has(node.nodeId)) this.seen.set(node.nodeId, textOf(node));
    await this.sendChange(change, run);
  }

  /** @param run when it is worth an event of its own. */
  async sendChange(change: RunChange, run: RunRecord | null): Promise<void> {
    const news = change.nodes.filter((node) => this.seen.get(node.nodeId) !== textOf(node));
    for (const node of news) this.seen.set(node.nodeId, textOf(node));
    const events: RunEvent[] = [
      ...news.map((node) => ({ name: 'node', data: toNodeRowResponse(node) })),
      ...this.newQuestions(change),
      ...(run ? [{ name: 'run', data: toRunResponse(run) }] : []),
    ];
    await this.events(events, change.position);
  }

  /** No event: nobody can ask for it again. */
  async sendProgress(nodeExecutionId: string, data: Record<string, unknown>): Promise<void> {
    await this.write(`event: agent_response\ndata: ${JSON.stringify({ node_id: nodeExecutionId, data })}\n\n`);
  }

  async end(run: RunRecord): Promise<void> {
    await this.write(
      `id: ${doneId(this.version)}\nevent: done\ndata: ${JSON.stringify({ version: run.version, status: run.status })}\n\n`,
    );
    this.response.end();
  }

  /** The run is gone, or the right to see it. */
  close(): void {
    this.response.end();
  }

  async keepAlive(): Promise<void> {
    await this.write(': keep-alive\n\n');
  }

  private newQuestions({ questions }: RunChange): RunEvent[] {
    const news = questions.filter(({ data }) => !this.asked.has(data.question_id));
    for (const { data } of news) this.asked.add(data.question_id);
    return news.map(({ nodeExecutionId, data }) => ({
      name: 'agent_response',
      data: { node_id: nodeExecutionId, data },
    }));
  }

  /** All but the last stand at the old position. */
  private async events(batch: readonly RunEvent[], position: string): Promise<void> {
    for (const [index, { name, data }] of batch.entries()) {
      this.count += 1;
      if (index === batch.length - 1) this.position = position;
      const id = `${this.version}.${this.position}.${this.count}`;
      await this.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    }
    this.position = position;
  }

  private async write(frame: string): Promise<void> {
    this.signal.throwIfAborted();
    if (this.response.write(frame)) return;
    await once(this.response, 'drain', { signal: AbortSignal.any([this.signal, AbortSignal.timeout(STUCK_MS)]) });
  }
}

/** The id of the last event: whoever comes back with it has seen everything. */
export function doneId(version: number): string {
  return `${version}.done`;
}

/** The position in the id of an event of this run; null for other texts. */
export function positionOf(id: string | undefined, version: number): string | null {
  const match = /^(\d{1,10})\.(\d{1,19})\.\d{1,10}$/.exec(id ?? '');
  return match?.[1] === String(version) ? match[2]! : null;
}

/** The parts that move. */
function textOf({ status, attempt, output, error, batchCompleted, batchTotal, finishedAt, warnings }: NodeRow): string {
  const rest = [status, attempt, batchCompleted, batchTotal, finishedAt?.getTime(), error, warnings, output];
  return createHash('sha1').update(JSON.stringify(rest)).digest('base64');
}
