import { ChatMessages, ChatSessions, SessionTitles } from '@app/agents';
import type { AppConfig } from '@app/config';
import { ModelChoice } from '@app/models';
import { Outbox } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RepeatedCalls } from './repeated-calls.js';
import { ChatSessionsController } from './chat-sessions.controller.js';
import { CHAT_SETTINGS, toChatSettings } from './chat-settings.js';
import { TurnAnswers } from './turn-answers.js';
import { TurnFollowers } from './turn-followers.js';

/** Conversations of every store: their turns, and how answers are written on the wire. */
@Module({})
export class ChatsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ChatsModule,
      global: true,
      providers: [
        { provide: CHAT_SETTINGS, useValue: toChatSettings(config) },
        RepeatedCalls,
        TurnFollowers,
        TurnAnswers,
        ChatSessions,
        ChatMessages,
        {
          provide: SessionTitles,
          inject: [DataSource, ModelChoice, Outbox],
          useFactory: (dataSource: DataSource, models: ModelChoice, outbox: Outbox) =>
            new SessionTitles(config.turns.writesTitles, dataSource, models, outbox),
        },
      ],
      controllers: [ChatSessionsController],
      exports: [RepeatedCalls, TurnAnswers, SessionTitles],
    };
  }
}
