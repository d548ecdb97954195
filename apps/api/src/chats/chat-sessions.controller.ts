import { ChatMessages, ChatSessions } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { NotFoundError } from '@app/common';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  ChatMessageResponse,
  ChatSessionResponse,
  CreateSessionRequest,
  FeedbackRequest,
  MessagesQuery,
  SessionPage,
  SessionsQuery,
  toMessageResponse,
  toSessionResponse,
  UpdateSessionRequest,
} from './chat-sessions.dto.js';

/** docs/contract/chats.md#conversations. */
@PartOf('chat_ai')
@Controller('microservices/chat-sessions')
export class ChatSessionsController {
  constructor(
    private readonly sessions: ChatSessions,
    private readonly said: ChatMessages,
  ) {}

  @Get()
  @Route({
    summary: 'List conversations',
    description: 'Your own, pinned ones first, then the latest, a page at a time.',
    errors: 'fields',
    response: SessionPage,
  })
  async list(
    @CurrentUser() user: Principal,
    @Query() query: SessionsQuery,
    @Req() request: Request,
  ): Promise<SessionPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.sessions.list(user.userId, query, at);
    return toPageResponse({ count, items: items.map(toSessionResponse) }, at, request);
  }

  @Post()
  @Route({
    summary: 'Begin a conversation',
    description: 'An empty one; its first turn gives it a title where none was named.',
    errors: 'fields',
    response: ChatSessionResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() user: Principal, @Body() body: CreateSessionRequest): Promise<ChatSessionResponse> {
    return toSessionResponse(await this.sessions.create(user.userId, body.kind, body.title));
  }

  @Get(':id/')
  @Route({
    summary: 'Get a conversation',
    description:
      'Its title, kind and when it was last used; its messages are at `messages/`. 404 for conversations of others.',
    response: ChatSessionResponse,
  })
  async get(@CurrentUser() user: Principal, @IntegerParam('id') id: number): Promise<ChatSessionResponse> {
    return toSessionResponse(await this.sessions.get(user.userId, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Rename or pin a conversation',
    description: 'Changes only the fields that are sent.',
    errors: 'fields',
    response: ChatSessionResponse,
  })
  async update(
    @CurrentUser() user: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateSessionRequest,
  ): Promise<ChatSessionResponse> {
    return toSessionResponse(await this.sessions.update(user.userId, id, body));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete a conversation',
    description: 'With its messages and the turns under way, for good.',
    response: null,
  })
  async remove(@CurrentUser() user: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.sessions.remove(user.userId, id);
  }

  @Get(':id/messages/')
  @Route({
    summary: 'Read a conversation',
    description: 'The last messages, oldest first; `before` the first of them gives the ones before.',
    errors: 'fields',
    response: [ChatMessageResponse],
  })
  async messages(
    @CurrentUser() user: Principal,
    @IntegerParam('id') id: number,
    @Query() query: MessagesQuery,
  ): Promise<ChatMessageResponse[]> {
    return (await this.said.list(user.userId, id, query)).map(toMessageResponse);
  }

  @Put(':id/messages/:mid/feedback/')
  @Route({
    summary: 'Rate an answer',
    description: 'A second rating replaces the first.',
    errors: 'fields',
    response: ChatMessageResponse,
  })
  async rate(
    @CurrentUser() user: Principal,
    @IntegerParam('id') id: number,
    @Param('mid') messageId: string,
    @Body() body: FeedbackRequest,
  ): Promise<ChatMessageResponse> {
    // Beyond the integers that other ids are made of.
    if (!/^\d{1,15}$/.test(messageId))
      throw new NotFoundError('There is no such message.', { code: 'message_not_found' });
    return toMessageResponse(await this.said.rate(user.userId, id, Number(messageId), body));
  }
}
