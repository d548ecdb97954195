import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { TurnAnswers } from '../chats/turn-answers.js';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { DashboardChatRequest } from './dashboard-chat.dto.js';
import { DashboardConversations } from './dashboard-conversations.js';

/** docs/contract/dashboard-chat.md. */
@ApiTags('Charts')
@PartOf('dashboards')
@Controller('microservices/dashboard-chat')
export class DashboardChatController {
  constructor(
    private readonly conversations: DashboardConversations,
    private readonly answers: TurnAnswers,
  ) {}

  @Post()
  @Route({
    summary: 'Ask charts, or a board',
    description:
      'An agent answers from the rows of charts that the caller sees, those that pass the filters, and reads nothing else. ' +
      'A conversation stays with its charts. The same call again with its `Idempotency-Key` or `client_turn_id` is answered ' +
      'with the same turn, from its beginning.',
    errors: { 400: 'fields+error', 403: 'detail', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: {
      contentType: 'text/event-stream',
      description: 'The answer text. With `?framing=sse`: the events `delta`, `done`, `error`.',
    },
    framing: true,
  })
  async ask(
    @CurrentUser() user: Principal,
    @Body() body: DashboardChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    await this.answers.stream(await this.conversations.toTurn(user, body), null, request, response);
  }
}
