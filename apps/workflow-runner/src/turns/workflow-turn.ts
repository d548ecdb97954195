import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TurnContext, type TurnHandler, type TurnOutcome, workflowTurnRequest } from '@app/agents';
import { NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { type RunResult, RunResults } from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import { resultText } from './result-text.js';
import { RunTextReader } from './run-text-reader.js';

/** The notification may be lost. */
const POLL_MS = 1_000;
/** Nodes change in bursts; the result is looked for at most this often. */
const INTERVAL_MS = 50;
/** Before the deadline of the turn, which would be a failure of ours. */
const RESERVE_MS = 2_000;

/**
 * Tells what a run is for while that comes into being (docs/contract/workflows.md#the-run-stream, `run/stream/`). The
 * run goes on without it.
 */
@Injectable()
export class WorkflowTurnHandler implements TurnHandler {
  readonly name = 'workflow';
  private readonly logger = new Logger(WorkflowTurnHandler.name);

  constructor(
    private readonly live: LiveBus,
    private readonly results: RunResults,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { workflowId, runVersion } = workflowTurnRequest.parse(context.turn.request);
    const reader = new RunTextReader(runVersion);
    const subscriptions = [
      this.live.subscribe(`run-text:${workflowId}`, (piece) => reader.take(piece)),
      this.live.subscribe(`workflow:${workflowId}`, ({ type }) => {
        if (type === 'nodes_changed') reader.wake();
      }),
    ];
    for (const one of subscriptions)
      one.catch((error: Error) => this.logger.warn(`The result is only polled: ${error.message}`));
    try {
      return await this.follow(context, reader, workflowId, runVersion);
    } finally {
      for (const one of subscriptions) void one.then((stop) => stop()).catch(() => null);
    }
  }

  private async follow(
    context: TurnContext,
    reader: RunTextReader,
    workflowId: string,
    version: number,
  ): Promise<TurnOutcome> {
    const { signal } = context;
    const until = context.deadlineAt.getTime() - RESERVE_MS;
    for (;;) {
      const woken = reader.woken();
      const result = await this.results.find(workflowId, version);
      signal.throwIfAborted();
      if (!result) throw new NotFoundError('The run is gone.', { code: 'run_not_found' });
      for (const text of reader.read(result.outputNodeId, context.published.text)) context.text(text);
      if (isOver(result)) return end(context, result);
      if (Date.now() > until) return failed('run_continues', 'The run goes on; its history has the rest.');
      await Promise.race([woken, sleep(POLL_MS), once(signal, 'abort')]);
      await sleep(INTERVAL_MS);
    }
  }
}

/** With a single output node its output is all that comes; the rest of the run is not waited for. */
function isOver({ status, outputNodeId, result }: RunResult): boolean {
  return (status !== 'PENDING' && status !== 'RUNNING') || (outputNodeId !== null && result !== null);
}

function end(context: TurnContext, { status, error, result }: RunResult): TurnOutcome {
  if (status === 'FAILED' || status === 'STOPPED')
    return failed(error?.code ?? 'run_stopped', error?.message ?? 'The run was stopped.');
  const whole = resultText(result);
  const published = context.published.text;
  // What was told cannot be taken back: a text that is another one in the end follows it.
  const rest = whole.startsWith(published) ? whole.slice(published.length) : `\n\n${whole}`;
  if (rest !== '') context.text(rest);
  return { usage: null };
}

function failed(code: string, detail: string): TurnOutcome {
  return { usage: null, failure: { code, detail } };
}
