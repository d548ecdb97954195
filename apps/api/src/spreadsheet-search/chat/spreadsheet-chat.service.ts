import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { TurnAnswers } from '../../chats/turn-answers.js';
import type { ApiRequest } from '../../http/api-request.js';
import type { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { TabularQuestions } from '../../tabular-chats/tabular-questions.js';

/** One question to spreadsheets, streamed as it is answered. */
@Injectable()
export class SpreadsheetChat {
  constructor(
    private readonly questions: TabularQuestions,
    private readonly answers: TurnAnswers,
  ) {}

  async reply(userId: number, body: TabularChatRequest, request: ApiRequest, response: Response): Promise<void> {
    const turn = await this.questions.toTurn(userId, 'spreadsheet', body);
    await this.answers.stream(turn, '', request, response);
  }
}
