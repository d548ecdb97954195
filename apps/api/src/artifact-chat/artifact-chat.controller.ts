import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { WaitQuery } from '../agent/agent-chat.dto.js';
import { AgentReplies } from '../agent/agent-replies.js';
import { AgentReplyResponse } from '../chats/agent-reply.dto.js';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { ArtifactChatRequest } from './artifact-chat.dto.js';
import { ArtifactConversations } from './artifact-conversations.js';

/** docs/contract/artifact-chat.md. */
@ApiTags('Artifacts')
@PartOf('dashboards')
@Controller('microservices/agent/artifact-chat')
export class ArtifactChatController {
  constructor(
    private readonly conversations: ArtifactConversations,
    private readonly replies: AgentReplies,
  ) {}

  @Post()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key and body within 24 hours: the same turn.',
  })
  @Route({
    summary: 'Have an agent make a page, or ask about one',
    description:
      'It reads the sources that the conversation was begun with, and publishes a page once it passes a check with real data: `dashboard_id` is the artifact to render. ' +
      'In `ask` it only reads. 504 `turn_continues` names the turn that goes on when the time is over.',
    errors: { 400: 'fields+error', 403: 'detail', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: AgentReplyResponse,
    rate: { bucket: 'agent-chat', perMinute: 120 },
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id', 'Idempotency-Replayed'],
  })
  ask(
    @CurrentUser() user: Principal,
    @Query() query: WaitQuery,
    @Body() body: ArtifactChatRequest,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AgentReplyResponse> {
    return this.replies.answer(user.userId, query, request, response, () => this.conversations.begin(user, body));
  }
}
