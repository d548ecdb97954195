import { Turns, type BegunTurn, type NewTurn, type TurnView, waitsForReply } from '@app/agents';
import { ConflictError, derivedId, type DomainError, InvalidRequestError } from '@app/common';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RepeatedCalls } from './repeated-calls.js';
import { toTurnFailure } from './turn-failure.js';
import { type ApiRequest } from '../http/api-request.js';
import { OpenCalls } from '../http/open-calls.js';
import { untilGone } from '../http/until-gone.js';
import { framingFor, type Separator } from './answer-framing.js';
import { AnswerWriter } from './answer-writer.js';
import { CHAT_SETTINGS, type ChatSettings } from './chat-settings.js';
import { AnswerDeadline } from './answer-deadline.js';
import { TurnFollowers } from './turn-followers.js';

/** Namespace of the conversations of calls that have a name and no conversation. */
const NAMED_CALLS = '0f6d7c6e-5a51-4c0a-9a43-0d6f5b3c7e21';

export type AskedTurn = Omit<NewTurn, 'conversation' | 'clientTurnId'> & {
  conversation_id?: string | null | undefined;
  chat_session_id?: number | null | undefined;
  client_turn_id?: string | null | undefined;
};

/** Turns whose answer is that of the call: begun, followed from wherever they are at work, and stopped when the caller leaves. */
@Injectable()
export class TurnAnswers implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly turns: Turns,
    private readonly calls: RepeatedCalls,
    private readonly followers: TurnFollowers,
    private readonly open: OpenCalls,
    @Inject(CHAT_SETTINGS) private readonly settings: ChatSettings,
  ) {}

  /**
   * Writes the turn as it is told. The same call again (`Idempotency-Key`, `client_turn_id`) is answered with the same
   * turn, from its beginning.
   * @throws what `Turns.begin` throws, what the turn failed with before it told anything, and what `AnswerDeadline` throws;
   *   UnauthenticatedError when the caller was let in no more before anything was told
   */
  async stream(asked: AskedTurn, separator: Separator, request: ApiRequest, response: Response): Promise<void> {
    const gone = untilGone(response);
    const ended = this.open.of(response);
    const left = AbortSignal.any([gone, ended]);
    const { userId } = asked;
    const begun: BegunTurn[] = [];
    const call = await this.calls.once(userId, request, async () => {
      begun.push(await this.turns.begin(toNewTurn(asked)));
      return begun[0]!.turnId;
    });
    const { turnId } = call;
    const { sessionId } = begun[0] ?? (await this.turns.get(userId, turnId));
    if (call.isReplay || begun[0]?.isRepeat) response.setHeader('Idempotency-Replayed', 'true');
    nameTurn(response, turnId, sessionId);
    const framing = framingFor(request, separator);
    const writer = new AnswerWriter(response, { turnId, sessionId }, framing, left);
    const deadline = new AnswerDeadline(this.settings.waitSeconds, response, {
      gone: left,
      stopping: this.stopping.signal,
    });
    try {
      if (await this.write(asked, turnId, writer, deadline)) return;
      if (!left.aborted) writer.breakOff();
    } catch (error) {
      if (!left.aborted) {
        // A turn that goes on is still what the key stands for.
        if (!deadline.isOver) await call.free();
        throw error;
      }
    } finally {
      deadline.end();
    }
    const mayReturn = framing.isResumable || isNamed(asked) || 'idempotency-key' in request.headers;
    this.followers.left(userId, turnId, mayReturn);
    if (!gone.aborted && ended.aborted) writer.refuse(ended.reason as DomainError);
  }

  /** Waits for the end of the turn. @throws as `stream`; InvalidRequestError when nobody waits any longer */
  async whole(asked: AskedTurn, response: Response): Promise<TurnView> {
    const gone = untilGone(response);
    const ended = this.open.of(response);
    const left = AbortSignal.any([gone, ended]);
    const { userId } = asked;
    const { turnId, sessionId } = await this.turns.begin(toNewTurn(asked));
    nameTurn(response, turnId, sessionId);
    const deadline = new AnswerDeadline(this.settings.waitSeconds, response, {
      gone: left,
      stopping: this.stopping.signal,
    });
    try {
      for await (const event of this.turns.follow(turnId, { after: 0, signal: deadline.signal }))
        if (event?.type === 'end') break;
    } finally {
      deadline.end();
    }
    deadline.check(turnId);
    if (left.aborted) {
      this.followers.left(userId, turnId, isNamed(asked));
      if (!gone.aborted) throw ended.reason as DomainError;
      // An error, so that no answer is kept for a repeated call; not one that the log is told of.
      throw new InvalidRequestError('The client has gone.', { code: 'client_closed' });
    }
    const view = await this.turns.get(userId, turnId);
    if (view.status === 'interrupted') throw new ConflictError('The answer was stopped.', { code: 'turn_interrupted' });
    if (view.error && !view.extras?.reply) throw toTurnFailure(view.error, turnId);
    return view;
  }

  /** Whoever was told nothing yet is told that the turn goes on: it does, elsewhere. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /** @returns whether the end was told; otherwise the client has gone, or the turn */
  private async write(
    { userId }: AskedTurn,
    turnId: string,
    writer: AnswerWriter,
    deadline: AnswerDeadline,
  ): Promise<boolean> {
    let isQueued = false;
    for await (const event of this.turns.follow(turnId, { after: 0, signal: deadline.signal })) {
      if (event !== null) isQueued = event.type === 'queued';
      if (isQueued) await this.refuseBehindQuestion(userId, turnId, writer);
      if (event === null || event.type === 'queued') await writer.wait();
      else if (await writer.tell(event)) return true;
    }
    deadline.check(turnId);
    return false;
  }

  /** An agent's question may wait for a day: nobody waits for an answer behind it. @throws ConflictError `turn_waiting` */
  private async refuseBehindQuestion(userId: number, turnId: string, writer: AnswerWriter): Promise<void> {
    const awaited = await this.turns.findAwaited(turnId);
    if (awaited === null) return;
    await this.turns.stop(userId, { turnId }).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error;
    });
    if (!writer.hasBegun) throw waitsForReply(awaited);
  }
}

/** Also for an answer that is an error: the turn is there, and may go on. */
function nameTurn(response: Response, turnId: string, sessionId: number): void {
  response.setHeader('X-Turn-Id', turnId);
  response.setHeader('X-Chat-Session-Id', String(sessionId));
}

function isNamed({ client_turn_id: name }: AskedTurn): boolean {
  return name !== undefined && name !== null;
}

function toNewTurn(asked: AskedTurn): NewTurn {
  const { conversation_id, chat_session_id, client_turn_id, ...turn } = asked;
  const conversationId = conversation_id ?? undefined;
  const sessionId = chat_session_id ?? undefined;
  const isNamedAlone = isNamed(asked) && conversationId === undefined && sessionId === undefined;
  return {
    ...turn,
    conversation: {
      // A call that is made again has to find its conversation.
      conversationId: isNamedAlone ? derivedId(NAMED_CALLS, `${turn.userId}:${client_turn_id}`) : conversationId,
      sessionId,
    },
    clientTurnId: client_turn_id ?? undefined,
  };
}
