import { BadGatewayError, ConflictError, type DomainError, GatewayTimeoutError } from '@app/common';
import { type AgentRunEvent, AgentRunFeed, type ConsoleTurn, END_EVENTS } from '@app/dedicated-agent';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { OpenCalls } from '../http/open-calls.js';
import type { ConsoleAnswerResponse } from './agent-console.dto.js';

/** Calls that wait for the end of a run of the console, which goes on whoever leaves. */
@Injectable()
export class ConsoleAnswers implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(
    private readonly feed: AgentRunFeed,
    private readonly open: OpenCalls,
  ) {}

  /**
   * @throws GatewayTimeoutError `run_continues` when the time is over, and when this process ends; ConflictError
   * `run_cancelled`; BadGatewayError with what the run failed with
   */
  async wait(turn: ConsoleTurn, seconds: number, response: Response): Promise<ConsoleAnswerResponse> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const ended = this.open.of(response);
    const over = AbortSignal.timeout(seconds * 1000);
    const signal = AbortSignal.any([gone.signal, ended, over, this.stopping.signal]);
    for await (const event of this.feed.follow(turn.run.id, { after: 0, signal }))
      if (event !== null && event.event in END_EVENTS) return toAnswer(turn, event);
    if (ended.aborted) throw ended.reason as DomainError;
    throw new GatewayTimeoutError('The run goes on: its answer arrives on the socket.', {
      code: 'run_continues',
      extra: { run_id: turn.run.id, chat_session_id: turn.session.id },
    });
  }

  /** Whoever waits is told at once that the run goes on: it does, elsewhere. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }
}

function toAnswer({ run, session }: ConsoleTurn, { event, data }: AgentRunEvent): ConsoleAnswerResponse {
  const extra = { run_id: run.id, chat_session_id: session.id };
  if (event === 'run.cancelled') throw new ConflictError('The run was stopped.', { code: 'run_cancelled', extra });
  if (event === 'run.failed') {
    const { error, code } = data;
    if (code === 'budget_exceeded' && typeof error === 'string') throw new ConflictError(error, { code, extra });
    throw new BadGatewayError(typeof error === 'string' && error !== '' ? error : 'The run failed.', {
      code: typeof code === 'string' && code !== '' ? code : 'run_failed',
      extra,
    });
  }
  return {
    answer: typeof data.output === 'string' ? data.output : '',
    session_id: session.conversationId,
    generated_files_urls: Array.isArray(data.generated_files_urls) ? (data.generated_files_urls as string[]) : [],
    ...extra,
  };
}
