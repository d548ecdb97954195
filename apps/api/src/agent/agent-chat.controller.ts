import { Turns } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route, type RouteOptions } from '../http/route.js';
import { AgentChat } from './agent-chat.js';
import { AgentReplies } from './agent-replies.js';
import {
  AgentChatRequest,
  QueueQuery,
  RegenerateRequest,
  ReplyRequest,
  StoppedTurnResponse,
  StopTurnRequest,
  TurnQueueResponse,
  WaitQuery,
} from './agent-chat.dto.js';
import { AgentReplyResponse, toTurnResponse } from '../chats/agent-reply.dto.js';

const MAX_QUEUED = 20;

const SAFE_TO_REPEAT = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'The same key and body within 24 hours: the same turn.',
});

const answering = (summary: string, description: string): RouteOptions => ({
  summary,
  description: `${description} 504 \`turn_continues\` names the turn that goes on when the time is over.`,
  errors: {
    400: 'fields+error',
    403: 'detail',
    404: 'detail',
    409: 'detail',
    502: 'detail',
    504: 'detail',
  },
  scope: 'chats:write',
  response: AgentReplyResponse,
  rate: { bucket: 'agent-chat', perMinute: 120 },
  answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id', 'Idempotency-Replayed'],
});

/** Conversations with the agent (docs/contract/chats.md#the-shared-reply, docs/contract/chats.md#the-agents-chat). */
@ApiTags('Agent')
@PartOf('chat_ai')
@Controller('microservices/agent/chat')
export class AgentChatController {
  constructor(
    private readonly chat: AgentChat,
    private readonly turns: Turns,
    private readonly replies: AgentReplies,
  ) {}

  @Post()
  @SAFE_TO_REPEAT
  @Route(
    answering(
      'Ask the agent',
      'Waits for the answer; the work goes on when the client leaves. `queued` at once behind another turn of the conversation.',
    ),
  )
  ask(
    @CurrentUser() user: Principal,
    @Query() query: WaitQuery,
    @Body() body: AgentChatRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentReplyResponse> {
    return this.replies.answer(user.userId, query, request, response, () => this.chat.begin(user.userId, body));
  }

  @Post('reply/')
  @SAFE_TO_REPEAT
  @Route(answering('Answer a question of the agent', 'The first reply counts; then as the call that asked.'))
  reply(
    @CurrentUser() user: Principal,
    @Query() query: WaitQuery,
    @Body() body: ReplyRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentReplyResponse> {
    return this.replies.answer(user.userId, query, request, response, () => this.chat.reply(user.userId, body));
  }

  @Post('regenerate/')
  @SAFE_TO_REPEAT
  @Route(
    answering(
      'Ask the last question again',
      'A new turn in place of the last one of its conversation, which leaves the history.',
    ),
  )
  regenerate(
    @CurrentUser() user: Principal,
    @Query() query: WaitQuery,
    @Body() body: RegenerateRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentReplyResponse> {
    return this.replies.answer(user.userId, query, request, response, () => this.chat.regenerate(user.userId, body));
  }

  @Post('stop/')
  @Route({
    forViewers: true,
    summary: 'Stop a turn',
    description: 'What was told so far stays. Turns behind it go on.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'chats:write',
    response: StoppedTurnResponse,
    open: true,
  })
  async stop(@CurrentUser() user: Principal, @Body() body: StopTurnRequest): Promise<StoppedTurnResponse> {
    const named = { conversationId: body.conversation_id, turnId: body.turn_id ?? undefined };
    return { status: 'interrupted', turn_id: await this.turns.stop(user.userId, named) };
  }

  @Get('queue/')
  @Route({
    summary: 'See what waits in a conversation',
    description: 'The turn at work and those behind it, in their order.',
    errors: 'fields',
    scope: 'chats:write',
    response: TurnQueueResponse,
  })
  async queue(@CurrentUser() user: Principal, @Query() query: QueueQuery): Promise<TurnQueueResponse> {
    const turns = await this.chat.queue(user.userId, query.conversation_id);
    return { conversation_id: query.conversation_id, turns: turns.map(toTurnResponse), limit: MAX_QUEUED };
  }
}
