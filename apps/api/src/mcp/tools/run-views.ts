import { AutoResetEvent, cutText, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { countRunSteps, RunResults } from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import type { ToolCall } from './tool.js';

/** The notification may be lost. */
const POLL_MS = 1000;
/** Nodes change in bursts. */
const INTERVAL_MS = 100;
const SUBSCRIBE_MS = 500;
const MAX_RESULT_CHARACTERS = 100_000;

export const runShape = z.object({
  workflow_id: z.string(),
  version: z.number().describe('Names the run, for get_run.'),
  status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED']),
  is_finished: z.boolean(),
  steps: z.object({ total: z.number(), finished: z.number(), waiting: z.number().describe('For a person or a time.') }),
  result: z.unknown().describe('Null while there is none.'),
  result_truncated: z.boolean().describe('Whether `result` is only the beginning of its JSON, as text.'),
  error: z.object({ step: z.string().nullable(), code: z.string(), message: z.string() }).nullable(),
});
type RunView = z.input<typeof runShape>;

/** Runs as MCP clients see them. */
@Injectable()
export class RunViews {
  private readonly logger = new Logger(RunViews.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly live: LiveBus,
    private readonly results: RunResults,
  ) {}

  /**
   * The run as it is when it has ended, or when the time is over. For a caller who has checked access.
   * @throws NotFoundError (`run_not_found`); the reason of the signal
   */
  async await(workflowId: string, version: number, milliseconds: number, call: ToolCall): Promise<RunView> {
    const deadline = Date.now() + milliseconds;
    const changed = new AutoResetEvent();
    const subscribed = this.live.subscribe(`workflow:${workflowId}`, ({ type }) => {
      if (type === 'nodes_changed') changed.set();
    });
    subscribed.catch((error: Error) => this.logger.warn(`Ends of runs are only polled: ${error.message}`));
    if (milliseconds > 0) await Promise.race([subscribed.catch(() => null), pause(SUBSCRIBE_MS)]);
    try {
      for (let told = -1; ;) {
        const view = await this.find(workflowId, version);
        const { finished, total } = view.steps;
        if (finished > told) call.progress((told = finished), total, `${finished} of ${total} steps are done.`);
        if (view.is_finished || Date.now() >= deadline) return view;
        await changed.wait(Math.min(POLL_MS, deadline - Date.now()), call.signal);
        await pause(Math.min(INTERVAL_MS, Math.max(0, deadline - Date.now())));
        call.signal.throwIfAborted();
      }
    } finally {
      void subscribed.then((stop) => stop()).catch(() => null);
    }
  }

  private async find(workflowId: string, version: number): Promise<RunView> {
    const [found, steps] = await Promise.all([
      this.results.find(workflowId, version),
      countRunSteps(this.dataSource, workflowId, version),
    ]);
    if (!found || !steps) throw new NotFoundError('Run not found.', { code: 'run_not_found' });
    const { status, error } = found;
    const text = JSON.stringify(found.result ?? null);
    const isLong = text.length > MAX_RESULT_CHARACTERS;
    return {
      workflow_id: workflowId,
      version,
      status,
      is_finished: status !== 'PENDING' && status !== 'RUNNING',
      steps,
      result: isLong ? cutText(text, MAX_RESULT_CHARACTERS) : (found.result ?? null),
      result_truncated: isLong,
      error: error && { step: error.nodeId, code: error.code, message: error.message },
    };
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
