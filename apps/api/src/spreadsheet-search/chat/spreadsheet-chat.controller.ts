import { StoredMessages } from '@app/agents';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from '../../http/api-request.js';
import { toPageRequest } from '../../http/pagination.js';
import { PartOf } from '../../http/part-of.js';
import { type RawResponse, Route } from '../../http/route.js';
import {
  MessagesQuery,
  StoredMessageResponse,
  StoreMessageRequest,
  toNewMessage,
  toStoredMessageResponse,
} from '../../tabular-chats/stored-message.dto.js';
import { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { SpreadsheetChat } from './spreadsheet-chat.service.js';

const STREAMED_ANSWER: RawResponse = {
  contentType: 'text/event-stream',
  description:
    'A JSON array of sources `{uid, filename, sheet, ranges, rows}`, immediately followed by the answer text. ' +
    'With `?framing=sse`: the events `sources`, `delta`, `done`, `error`.',
};

/** docs/contract/tables.md#questions. */
@PartOf('chat_ai')
@Controller('spreadsheet-search')
export class SpreadsheetChatController {
  constructor(
    private readonly chat: SpreadsheetChat,
    private readonly messages: StoredMessages,
  ) {}

  @Post('chat/')
  @Route({
    summary: 'Ask up to 5 spreadsheets',
    description:
      'Answers by SQL over their sheets, read-only and in a process of its own. Costs calls of the language model. 504 where the statement takes too long.',
    errors: { 400: 'fields+error', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: STREAMED_ANSWER,
    framing: true,
  })
  ask(
    @CurrentUser() user: Principal,
    @Body() body: TabularChatRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    return this.chat.reply(user.userId, body, request, response);
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
    const { message, isNew } = await this.messages.store(user.userId, 'spreadsheet', toNewMessage(body));
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
    const messages = await this.messages.list(user.userId, 'spreadsheet', filter, toPageRequest(query));
    return messages.map(toStoredMessageResponse);
  }
}
