import { StoredMessages, Thoughts } from '@app/agents';
import type { AppConfig } from '@app/config';
import { TableQuestionsModule } from '@app/tabular';
import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseChatController } from '../database-search/chat/database-chat.controller.js';
import { DatabaseChat } from '../database-search/chat/database-chat.service.js';
import { ProfileModule } from '../profile/profile.module.js';
import { SpreadsheetChatController } from '../spreadsheet-search/chat/spreadsheet-chat.controller.js';
import { SpreadsheetChat } from '../spreadsheet-search/chat/spreadsheet-chat.service.js';
import { TabularQuestions } from '../tabular-chats/tabular-questions.js';

/**
 * Questions to the database and the spreadsheet store (docs/contract/tables.md#questions). Stands on the app's
 * TabularModule and ChatsModule.
 */
@Module({})
export class TabularChatsModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: TabularChatsModule,
      imports: [TableQuestionsModule.forRoot(config), ProfileModule],
      controllers: [DatabaseChatController, SpreadsheetChatController],
      providers: [TabularQuestions, Thoughts, StoredMessages, DatabaseChat, SpreadsheetChat],
    };
  }
}
