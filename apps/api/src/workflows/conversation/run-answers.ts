import { Turns } from '@app/agents';
import type { DomainError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { RepeatedCalls } from '../../chats/repeated-calls.js';
import { framingFor } from '../../chats/answer-framing.js';
import { AnswerWriter } from '../../chats/answer-writer.js';
import type { ApiRequest } from '../../http/api-request.js';
import { OpenCalls } from '../../http/open-calls.js';
import { type ConversedRun, RunConversations } from './run-conversations.js';

/** Starts runs and writes what they are for while it comes into being. */
@Injectable()
export class RunAnswers {
  constructor(
    private readonly conversations: RunConversations,
    private readonly calls: RepeatedCalls,
    private readonly turns: Turns,
    private readonly open: OpenCalls,
  ) {}

  /**
   * The same call again with its `Idempotency-Key` is answered with the same run, from its beginning.
   * @throws what `RunConversations.begin` throws; nothing is sent before
   */
  async stream(userId: number, run: ConversedRun, request: ApiRequest, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const ended = this.open.of(response);
    const left = AbortSignal.any([gone.signal, ended]);
    const { turnId, isReplay } = await this.calls.once(
      userId,
      request,
      async () => (await this.conversations.begin(userId, run)).turnId,
    );
    const { sessionId, runVersion } = await this.conversations.get(userId, turnId);
    response.setHeader('X-Run-Version', String(runVersion));
    if (isReplay) response.setHeader('Idempotency-Replayed', 'true');
    const writer = new AnswerWriter(response, { turnId, sessionId }, framingFor(request), left);
    writer.begin();
    try {
      for await (const event of this.turns.follow(turnId, { after: 0, signal: left })) {
        if (event === null || event.type === 'queued') await writer.wait();
        else if (await writer.tell(event)) return;
      }
    } catch (error) {
      if (!left.aborted) throw error;
    }
    if (!gone.signal.aborted && ended.aborted) return writer.refuse(ended.reason as DomainError);
    writer.breakOff();
  }
}
