import { type StoredTurnEvent, type TurnQuestion, Turns, type TurnView } from '@app/agents';
import { ConflictError, InvalidRequestError, NotFoundError, UnavailableError } from '@app/common';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import {
  AgentGateway,
  type ApprovalAnswer,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  type GatewayRunRef,
  type GatewayRunStatus,
  type GatewayTask,
  RUN_BEGUN,
} from '../gateway/agent-gateway.js';
import { RunSteers } from '../runs/run-steers.js';
import { readPlace, type Place, writePlace } from './turn-place.js';
import { doneIn } from './done-so-far.js';
import { toGatewayEvent, usageOf } from './turn-translation.js';

/** Nobody is there who could be asked for words. */
const DECIDE = 'Nobody can be asked: decide, and say what you assumed.';

const STATUSES: Readonly<Record<TurnView['status'], GatewayRunStatus>> = {
  queued: 'queued',
  running: 'running',
  waiting_input: 'waiting_for_approval',
  completed: 'completed',
  failed: 'failed',
  interrupted: 'cancelled',
};

/** Our own loop: a run is a turn of a session, with all that turns have (docs/contract/chats.md#turns). */
@Injectable()
export class EmbeddedGateway extends AgentGateway {
  readonly name = 'embedded';
  override readonly tellsBegin = true;

  constructor(
    private readonly turns: Turns,
    private readonly models: ModelChoice,
    private readonly steers: RunSteers,
  ) {
    super();
  }

  override async requireReady({ userId, model, tx }: Parameters<AgentGateway['requireReady']>[0]): Promise<void> {
    if (!this.models.available)
      throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
    if (model !== '' && !(await this.models.findNamed(userId, model, tx)))
      throw new InvalidRequestError('There is no such model.', { code: 'model_not_found' });
  }

  async start(task: GatewayTask): Promise<string> {
    const { runId, userId, sessionId, model, instructions, input, attachedFiles, haltsOnExpiry = false } = task;
    try {
      const { turnId } = await this.turns.begin({
        id: runId,
        userId,
        kind: sessionId === null ? 'dedicated-run' : 'dedicated-agent',
        conversation: sessionId === null ? { conversationId: runId } : { sessionId },
        question: input,
        handler: 'dedicated-agent',
        request: {
          instructions,
          llmModelId: model === '' ? null : ((await this.models.findNamed(userId, model))?.descriptor.id ?? null),
          fileUids: attachedFiles,
          haltsOnExpiry,
        },
        clientTurnId: runId,
      });
      return turnId;
    } catch (error) {
      if (error instanceof NotFoundError) throw new GatewayRefusedError(error.message, 404, error.code);
      if (error instanceof ConflictError) throw new GatewayRefusedError(error.message, 409, error.code);
      throw error;
    }
  }

  async find({ userId, gatewayRunId }: GatewayRunRef): Promise<GatewayRun | null> {
    const turn = await this.turnOf(userId, gatewayRunId);
    if (!turn) return null;
    const isOver = turn.finishedAt !== null;
    return {
      status: STATUSES[turn.status],
      output: isOver ? turn.answer : null,
      usage: turn.usage && usageOf(turn.usage.promptTokens, turn.usage.completionTokens),
      error: turn.error?.detail ?? null,
    };
  }

  async *events(
    { userId, gatewayRunId }: GatewayRunRef,
    { after, signal }: { after: string | null; signal: AbortSignal },
  ): AsyncIterable<GatewayEvent> {
    let place = readPlace(after);
    for await (const event of this.turns.follow(gatewayRunId, { after: place.seq, signal })) {
      if (event === null || event.type === 'queued') continue;
      if (event.type === 'question' && event.data.kind !== 'approval') {
        await this.decide(userId, gatewayRunId, event.data);
        continue;
      }
      const told = await this.translate(userId, event, place, signal);
      place = told.place;
      if (told.event) yield { cursor: writePlace(place), at: new Date(), ...told.event };
    }
  }

  async answer({ userId, gatewayRunId }: GatewayRunRef, { choice, requestId }: ApprovalAnswer): Promise<number> {
    const turn = await this.turnOf(userId, gatewayRunId);
    const { pending = null } = turn ?? {};
    if (pending?.kind !== 'approval' || (requestId !== null && pending.request_id !== requestId)) throw notPending();
    try {
      await this.turns.reply(userId, gatewayRunId, pending.request_id, { choice });
    } catch (error) {
      if (error instanceof ConflictError || error instanceof NotFoundError) throw notPending();
      throw error;
    }
    return 1;
  }

  async steer({ runId, userId, gatewayRunId }: GatewayRunRef, message: string): Promise<void> {
    const turn = await this.turnOf(userId, gatewayRunId);
    const notAccepting = new GatewayRefusedError('The run takes no words any more.', 409, 'run_not_accepting_steer');
    if (!turn || turn.finishedAt !== null) throw notAccepting;
    try {
      await this.steers.add(runId, message);
    } catch (error) {
      throw error instanceof ConflictError ? notAccepting : error;
    }
  }

  async stop({ userId, gatewayRunId }: GatewayRunRef): Promise<void> {
    try {
      await this.turns.stop(userId, { turnId: gatewayRunId });
    } catch (error) {
      if (error instanceof ConflictError) throw new GatewayRefusedError('The run has ended.', 409, 'run_not_active');
      throw error;
    }
  }

  /** A question for words, which waits for none. */
  private async decide(userId: number, turnId: string, { request_id: requestId }: TurnQuestion): Promise<void> {
    try {
      await this.turns.reply(userId, turnId, requestId, { message: DECIDE });
    } catch (error) {
      // It was told before, or the turn has ended.
      if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
    }
  }

  private async translate(
    userId: number,
    event: StoredTurnEvent,
    place: Place,
    signal: AbortSignal,
  ): Promise<{ event: Pick<GatewayEvent, 'event' | 'data'> | null; place: Place }> {
    const { seq } = event;
    if (event.type === 'delta') {
      const { offset, text } = event.data;
      const end = offset + text.length;
      // A turn whose log was compacted is told at once, from its beginning.
      const delta = text.slice(Math.max(0, place.told - offset));
      const next = { seq, told: Math.max(place.told, end) };
      return { event: delta === '' ? null : { event: 'message.delta', data: { delta } }, place: next };
    }
    if (event.type === 'started') return { event: { event: RUN_BEGUN, data: {} }, place: { ...place, seq } };
    const turn = event.type === 'end' ? await this.turnOf(userId, event.turnId) : null;
    const isOverBudget = event.type === 'end' && event.data.error?.code === 'budget_exceeded';
    const soFar = isOverBudget
      ? { output: turn?.answer ?? '', done: await doneIn(this.turns.follow(event.turnId, { after: 0, signal })) }
      : null;
    return { event: toGatewayEvent(event, turn, soFar), place: { ...place, seq } };
  }

  private async turnOf(userId: number, turnId: string): Promise<TurnView | null> {
    try {
      return await this.turns.get(userId, turnId);
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }
}

const notPending = () => new GatewayRefusedError('No such question waits for an answer.', 409, 'approval_not_pending');
