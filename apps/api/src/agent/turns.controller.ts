import { type StoredTurnEvent, TurnFeed, Turns, TurnTraces } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { lastEventOf, type NumberedEvent, writeNumberedEvents } from '../http/numbered-events.js';
import { OpenCalls } from '../http/open-calls.js';
import { PageQuery, toPageRequest, toPageResponse } from '../http/pagination.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { TurnEventsQuery } from './agent-chat.dto.js';
import { toEntryResponse, toTotalsResponse, TurnTracePage } from './turn-trace.dto.js';
import { toTurnResponse, TurnResponse } from '../chats/agent-reply.dto.js';

const EVENTS = {
  contentType: 'text/event-stream',
  description:
    '`queued`, `started`, `sources`, `delta {offset, text}`, `stage`, `question`, `reply`, and `end` once and last; `error {code, detail}` when the session or the account ends. A comment every 15 seconds.',
};

/** Turns of conversations of every kind, whatever process works on them (additive). */
@ApiTags('Agent')
@PartOf('chat_ai')
@Controller('microservices/chat-turns')
export class TurnsController {
  constructor(
    private readonly turns: Turns,
    private readonly feed: TurnFeed,
    private readonly open: OpenCalls,
    private readonly traces: TurnTraces,
  ) {}

  @Get(':turnId/')
  @Route({
    summary: 'Get a turn',
    description: 'How far it is, and its answer once it has ended. 404 for turns of others.',
    scope: 'chats:write',
    response: TurnResponse,
  })
  async get(@CurrentUser() user: Principal, @UuidParam('turnId') turnId: string): Promise<TurnResponse> {
    return toTurnResponse(await this.turns.get(user.userId, turnId));
  }

  @Get(':turnId/trace/')
  @Route({
    summary: 'Look at what was done for a turn',
    description:
      'Every request to a model and every call of a tool in the order in which they began, with prompts, answers, arguments and results while those are kept; of a turn under way, what there is. 404 for turns of others, 503 `cost_tracking_disabled`.',
    errors: 'fields',
    response: TurnTracePage,
  })
  async trace(
    @CurrentUser() user: Principal,
    @UuidParam('turnId') turnId: string,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<TurnTracePage> {
    const at = toPageRequest(query);
    const from = (at.page - 1) * at.pageSize;
    const trace = await this.traces.get(user.userId, turnId, { from, limit: at.pageSize });
    const { count, entries, status } = trace;
    const page = toPageResponse({ count, items: entries.map(toEntryResponse) }, at, request);
    return { turn_id: turnId, status, totals: toTotalsResponse(trace), ...page };
  }

  @Get(':turnId/events/')
  @Route({
    summary: 'Follow or replay a turn',
    description: 'From the beginning, or after `Last-Event-ID` or `after`; whoever comes back after `end` gets 204.',
    errors: 'fields',
    scope: 'chats:write',
    response: EVENTS,
    alsoAnswers: { 204: null },
    readsHeaders: ['Last-Event-ID'],
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id'],
  })
  async events(
    @CurrentUser() user: Principal,
    @UuidParam('turnId') turnId: string,
    @Query() query: TurnEventsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { sessionId } = await this.turns.get(user.userId, turnId);
    const after = lastEventOf(request) ?? query.after ?? 0;
    const headers = { 'X-Turn-Id': turnId, 'X-Chat-Session-Id': String(sessionId) };
    await writeNumberedEvents(response, headers, this.open.of(response), (signal) =>
      numbered(this.feed.follow(turnId, { after, signal })),
    );
  }
}

async function* numbered(events: AsyncIterable<StoredTurnEvent | null>): AsyncGenerator<NumberedEvent | null, void> {
  for await (const event of events)
    // A place in the queue is not part of the log, and has no number of its own.
    yield event && { seq: event.type === 'queued' ? null : event.seq, event: event.type, data: event.data };
}
