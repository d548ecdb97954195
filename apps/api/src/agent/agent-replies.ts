import { TurnWaiting } from '@app/agents';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type AgentReplyResponse, toAgentReply } from '../chats/agent-reply.dto.js';
import { RepeatedCalls } from '../chats/repeated-calls.js';
import { toTurnFailure } from '../chats/turn-failure.js';
import type { ApiRequest } from '../http/api-request.js';
import { OpenCalls } from '../http/open-calls.js';
import type { WaitQuery } from './agent-chat.dto.js';

/** Calls that wait for what an agent replies (docs/contract/chats.md#the-shared-reply). */
@Injectable()
export class AgentReplies {
  constructor(
    private readonly waiting: TurnWaiting,
    private readonly repeated: RepeatedCalls,
    private readonly open: OpenCalls,
  ) {}

  /** @param begin gives the id of the turn. @throws what it throws, and what the turn failed with */
  async answer(
    userId: number,
    { timeout }: WaitQuery,
    request: ApiRequest,
    response: Response,
    begin: () => Promise<string>,
  ): Promise<AgentReplyResponse> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { turnId, isReplay, free } = await this.repeated.once(userId, request, begin);
    response.setHeader('X-Turn-Id', turnId);
    if (isReplay) response.setHeader('Idempotency-Replayed', 'true');
    const ended = this.open.of(response);
    const left = AbortSignal.any([gone.signal, ended]);
    const view = await this.waiting.outcome(userId, turnId, timeout, left).catch((error: unknown) => {
      throw ended.aborted ? ended.reason : error;
    });
    response.setHeader('X-Chat-Session-Id', String(view.sessionId));
    if (view.status !== 'failed' || !view.error) return toAgentReply(view);
    await free();
    throw toTurnFailure(view.error, turnId);
  }
}
