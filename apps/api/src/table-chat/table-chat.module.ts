import { TurnWaiting } from '@app/agents';
import { ExtractedTables } from '@app/extraction';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { EXTRACTOR } from '../data-extractor/extractor.guard.js';
import { AgentReplies } from '../agent/agent-replies.js';
import { TableChatController } from './table-chat.controller.js';
import { TableConversations } from './table-conversations.js';
import { TableQuestionController } from './table-question.controller.js';

/** Agents and questions at extracted tables that this deployment keeps itself. */
@Module({})
export class TableChatModule {
  static forRoot({ extractor }: AppConfig): DynamicModule {
    return {
      module: TableChatModule,
      controllers: [TableChatController, TableQuestionController],
      providers: [
        AgentReplies,
        ExtractedTables,
        TableConversations,
        TurnWaiting,
        { provide: EXTRACTOR, useValue: extractor.kind },
      ],
    };
  }
}
