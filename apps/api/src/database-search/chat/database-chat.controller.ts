import { StoredMessages, Thoughts } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { toPageRequest } from '../../http/pagination.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  MessagesQuery,
  StoredMessageResponse,
  StoreMessageRequest,
  toNewMessage,
  toStoredMessageResponse,
} from '../../tabular-chats/stored-message.dto.js';
import { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { DatabaseChatResponse, ThoughtsResponse, toThoughtsResponse } from './database-chat.dto.js';
import { DatabaseChat } from './database-chat.service.js';

/** docs/contract/tables.md#questions. */
@PartOf('chat_ai')
@Controller('database-search')
export class DatabaseChatController {
  constructor(
    private readonly chat: DatabaseChat,
    private readonly thoughts: Thoughts,
    private readonly messages: StoredMessages,
  ) {}

  @Post('chat/')
  @Route({
    summary: 'Ask up to 5 table files',
    description:
      'Answered by SQL over the files’ tables, which is checked before it runs, read-only. A query or a model that fails ' +
      'is a 200 with the status `failed`; one that takes too long a 504.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: DatabaseChatResponse,
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id', 'Idempotency-Replayed'],
    startsSomething: true,
  })
  ask(
    @CurrentUser() user: Principal,
    @Body() body: TabularChatRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DatabaseChatResponse> {
    return this.chat.reply(user.userId, body, response);
  }

  @Get(':uid/thoughts/')
  @Route({
    summary: 'Read the steps of an answer',
    description: 'The SQL statements and what they found, by which an answer came to be.',
    scope: 'chats:write',
    response: ThoughtsResponse,
  })
  async steps(@CurrentUser() user: Principal, @UuidParam('uid') uid: string): Promise<ThoughtsResponse> {
    return toThoughtsResponse(uid, await this.thoughts.list(user.userId, uid));
  }

  @Post('store/')
  @Route({
    summary: 'Keep a question and its answer',
    description: 'The same uid again gives what was kept first, with 200.',
    errors: 'fields+error',
    scope: 'chats:write',
    response: StoredMessageResponse,
    status: 201,
    alsoAnswers: { 200: StoredMessageResponse },
    startsSomething: true,
  })
  async store(
    @CurrentUser() user: Principal,
    @Body() body: StoreMessageRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StoredMessageResponse> {
    const { message, isNew } = await this.messages.store(user.userId, 'database', toNewMessage(body));
    if (!isNew) response.status(200);
    return toStoredMessageResponse(message);
  }

  @Get()
  @Route({
    summary: 'List kept questions and answers',
    description: 'Newest first.',
    errors: 'fields',
    scope: 'chats:write',
    response: [StoredMessageResponse],
  })
  async list(@CurrentUser() user: Principal, @Query() query: MessagesQuery): Promise<StoredMessageResponse[]> {
    const filter = { uid: query.uid, conversationId: query.conversation_id };
    const messages = await this.messages.list(user.userId, 'database', filter, toPageRequest(query));
    return messages.map(toStoredMessageResponse);
  }
}
