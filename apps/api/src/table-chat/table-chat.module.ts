import { TurnWaiting } from '@app/agents';
import { ExtractedTables } from '@app/extraction';
import { Module } from '@nestjs/common';
import { AgentReplies } from '../agent/agent-replies.js';
import { TableChatController } from './table-chat.controller.js';
import { TableConversations } from './table-conversations.js';
import { TableQuestionController } from './table-question.controller.js';

/** Agents and questions at extracted tables that this deployment keeps itself. */
@Module({
  controllers: [TableChatController, TableQuestionController],
  providers: [AgentReplies, ExtractedTables, TableConversations, TurnWaiting],
})
export class TableChatModule {}
