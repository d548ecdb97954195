import { ConflictError } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { TurnAnswers } from '../../chats/turn-answers.js';
import type { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { TabularQuestions } from '../../tabular-chats/tabular-questions.js';
import type { DatabaseChatResponse } from './database-chat.dto.js';

/** One question to imported tables, answered whole. */
@Injectable()
export class DatabaseChat {
  constructor(
    private readonly questions: TabularQuestions,
    private readonly answers: TurnAnswers,
  ) {}

  async reply(userId: number, body: TabularChatRequest, response: Response): Promise<DatabaseChatResponse> {
    const startedAt = performance.now();
    const turn = await this.questions.toTurn(userId, 'database', body);
    const { extras } = await this.answers.whole(turn, response);
    // The handler wrote it in this shape; of a turn that was asked for by its name, it may be encrypted by now.
    const reply = extras?.reply as Omit<DatabaseChatResponse, 'duration_ms'> | undefined;
    if (!reply) throw new ConflictError('What was said here is kept no longer.', { code: 'turn_erased' });
    return { ...reply, duration_ms: Math.round(performance.now() - startedAt) };
  }
}
