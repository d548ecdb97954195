import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { WaitQuery } from '../agent/agent-chat.dto.js';
import { AgentReplies } from '../agent/agent-replies.js';
import { AgentReplyResponse } from '../chats/agent-reply.dto.js';
import { ExtractorGuard } from '../data-extractor/extractor.guard.js';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { TableChatRequest } from './table-chat.dto.js';
import { TableConversations } from './table-conversations.js';

/** docs/contract/table-chat.md. */
@ApiTags('Extracted tables')
@UseGuards(ExtractorGuard)
@PartOf('chat_ai')
@Controller('microservices/agent/table-chat')
export class TableChatController {
  constructor(
    private readonly conversations: TableConversations,
    private readonly replies: AgentReplies,
  ) {}

  @Post()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body within 24 hours: the same turn.',
  })
  @Route({
    summary: 'Have an agent work at a table',
    description:
      'It reads and changes this table alone, with the rights of the caller; each change is listed in the answer and can be undone. ' +
      'A conversation stays with its table. 504 `turn_continues` names the turn that goes on when the time is over.',
    errors: { 400: 'fields+error', 403: 'detail', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: AgentReplyResponse,
    rate: { bucket: 'agent-chat', perMinute: 120 },
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id', 'Idempotency-Replayed'],
  })
  ask(
    @CurrentUser() user: Principal,
    @Query() query: WaitQuery,
    @Body() body: TableChatRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentReplyResponse> {
    return this.replies.answer(user.userId, query, request, response, () => this.conversations.begin(user, body));
  }
}
