import { once } from 'node:events';
import { NotFoundError } from '@app/common';
import type { LiveMessages } from '@app/contracts';
import { LiveBus } from '@app/live';
import { RunControl, type RunResult, RunResults } from '@app/workflows';
import { Injectable, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type AnswerFraming, framingFor } from '../../chats/answer-framing.js';
import { beginEventStream } from '../../http/event-stream.js';
import { resultText } from './result-text.js';

/** The bell may be lost. */
const POLL_MS = 1_000;
/** Nodes change in bursts; the result is looked for at most this often. */
const INTERVAL_MS = 50;
/** A run that waits for a person may take days; the client comes back for the rest over the history. */
const MAX_MS = 15 * 60_000;
const SUBSCRIBE_MS = 1_000;

type TextPiece = LiveMessages[`run-text:${string}`];

/** Starts runs and writes the text of their result while it comes into being. */
@Injectable()
export class RunTexts {
  private readonly logger = new Logger(RunTexts.name);

  constructor(
    private readonly live: LiveBus,
    private readonly runs: RunControl,
    private readonly results: RunResults,
  ) {}

  /** For a caller who has checked access. @throws ConflictError `run_active`, NotFoundError; nothing is sent before. */
  async run(
    request: Request,
    response: Response,
    workflowId: string,
    userId: number,
    payload: Record<string, unknown> | null,
  ): Promise<void> {
    const framing = framingFor(request);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const pieces: TextPiece[] = [];
    let wake: (() => void) | null = null;
    const subscriptions = [
      this.live.subscribe(`run-text:${workflowId}`, (piece) => {
        pieces.push(piece);
        wake?.();
      }),
      this.live.subscribe(`workflow:${workflowId}`, ({ type }) => {
        if (type === 'nodes_changed') wake?.();
      }),
    ];
    for (const one of subscriptions)
      one.catch((error: Error) => this.logger.warn(`The result is only polled: ${error.message}`));
    // Without Redis the polls have to do.
    await Promise.race([Promise.allSettled(subscriptions), pause(SUBSCRIBE_MS)]);
    try {
      const version = await this.runs.start(workflowId, { trigger: 'api', userId, payload, supersede: false });
      const text = new StreamedText(response, framing, gone.signal);
      const deadline = Date.now() + MAX_MS;
      for (;;) {
        const woken = new Promise<void>((resolve) => (wake = resolve));
        const result = await this.results.find(workflowId, version);
        if (!result) throw new NotFoundError();
        begin(response, version, result.runId);
        for (const piece of pieces.splice(0))
          if (piece.runVersion === version && piece.nodeId === result.outputNodeId) await text.add(piece);
        if (isOver(result) || Date.now() > deadline) return await end(response, framing, text, result);
        await Promise.race([woken, pause(POLL_MS), once(gone.signal, 'abort')]);
        if (gone.signal.aborted) return;
        await pause(INTERVAL_MS);
      }
    } catch (error) {
      if (gone.signal.aborted) return;
      if (!response.headersSent) throw error;
      this.logger.error(error);
      breakOff(response, framing, 'internal_error', 'The answer broke off.');
    } finally {
      for (const one of subscriptions) void one.then((stop) => stop()).catch(() => null);
    }
  }
}

/** With a single output node its output is all that comes; the rest of the run is not waited for. */
function isOver({ status, outputNodeId, result }: RunResult): boolean {
  return (status !== 'PENDING' && status !== 'RUNNING') || (outputNodeId !== null && result !== null);
}

function begin(response: Response, version: number, runId: string): void {
  if (response.headersSent) return;
  beginEventStream(response, { 'X-Run-Version': String(version), 'X-Turn-Id': runId });
}

async function end(response: Response, framing: AnswerFraming, text: StreamedText, result: RunResult): Promise<void> {
  if (result.status === 'FAILED' || result.status === 'STOPPED') {
    const { code, message } = result.error ?? { code: 'run_stopped', message: 'The run was stopped.' };
    return breakOff(response, framing, code, message);
  }
  if (!isOver(result))
    return breakOff(response, framing, 'run_continues', 'The run goes on; its history has the rest.');
  await text.finish(resultText(result.result));
  response.end(framing.done(result.runId, null));
}

/** Without the last chunk of a raw text the client can tell that it is not complete. */
function breakOff(response: Response, framing: AnswerFraming, code: string, detail: string): void {
  const frame = framing.error(code, detail);
  if (frame === null) response.destroy();
  else response.end(frame);
}

/** What was sent cannot be taken back: pieces are sent only as long as each follows on the one before. */
class StreamedText {
  private sent = '';
  private attempt: number | null = null;
  private isBroken = false;

  constructor(
    private readonly response: Response,
    private readonly framing: AnswerFraming,
    private readonly signal: AbortSignal,
  ) {}

  async add({ attempt, offset, text }: TextPiece): Promise<void> {
    this.attempt ??= attempt;
    // Another try of the node writes another text; a piece that was lost leaves a gap.
    if (attempt !== this.attempt || offset > this.sent.length) this.isBroken = true;
    if (this.isBroken) return;
    await this.write(text.slice(this.sent.length - offset));
  }

  /** The rest of the text, or the whole of it when it is not the one that had begun. */
  async finish(whole: string): Promise<void> {
    await this.write(whole.startsWith(this.sent) ? whole.slice(this.sent.length) : `\n\n${whole}`);
  }

  private async write(text: string): Promise<void> {
    this.signal.throwIfAborted();
    this.sent += text;
    if (text !== '' && !this.response.write(this.framing.delta(text)))
      await once(this.response, 'drain', { signal: this.signal });
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
