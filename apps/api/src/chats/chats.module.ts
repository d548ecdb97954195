import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { CHAT_SETTINGS, toChatSettings } from './chat-settings.js';
import { ChatSessions } from './chat-sessions.js';
import { ChatSessionsController } from './chat-sessions.controller.js';
import { ChatTurns } from './chat-turns.js';

/** Conversations of every store: their turns, and how answers are written on the wire. */
@Module({})
export class ChatsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: ChatsModule,
      global: true,
      providers: [{ provide: CHAT_SETTINGS, useValue: toChatSettings(config) }, ChatTurns, ChatSessions],
      controllers: [ChatSessionsController],
      exports: [ChatTurns],
    };
  }
}
