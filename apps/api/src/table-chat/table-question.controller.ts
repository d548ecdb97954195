import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { TurnAnswers } from '../chats/turn-answers.js';
import { ExtractorGuard } from '../data-extractor/extractor.guard.js';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { TableAnswerResponse, TableQuestionRequest } from './table-chat.dto.js';
import { TableConversations } from './table-conversations.js';

/** docs/contract/table-chat.md#questions. */
@ApiTags('Extracted tables')
@ApiExtraModels(TableAnswerResponse)
@UseGuards(ExtractorGuard)
@PartOf('chat_ai')
@Controller('microservices/data-extractor')
export class TableQuestionController {
  constructor(
    private readonly conversations: TableConversations,
    private readonly answers: TurnAnswers,
  ) {}

  @Post('chat')
  @Route({
    summary: 'Ask a table',
    description:
      'Answers a question about its rows by SQL that is checked before it runs. With `Accept: text/event-stream` the answer comes as raw text while it is written.',
    errors: { 400: 'fields+error', 403: 'detail', 404: 'detail', 409: 'detail', 502: 'detail', 504: 'detail' },
    scope: 'chats:write',
    response: TableAnswerResponse,
    streamsOnRequest: true,
    answersHeaders: ['X-Turn-Id', 'X-Chat-Session-Id'],
  })
  async ask(
    @CurrentUser() user: Principal,
    @Body() body: TableQuestionRequest,
    @Req() request: ApiRequest,
    @Res() response: Response,
  ): Promise<void> {
    const turn = await this.conversations.toQuestion(user, body);
    if ((request.headers.accept ?? '').toLowerCase().includes('text/event-stream'))
      return this.answers.stream(turn, null, request, response);
    const { answer } = await this.answers.whole(turn, response);
    response.status(200).json({ answer, table_id: turn.request.tableId });
  }
}
