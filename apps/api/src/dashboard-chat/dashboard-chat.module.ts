import { BoardsModule } from '@app/artifacts';
import { Module } from '@nestjs/common';
import { DashboardChatController } from './dashboard-chat.controller.js';
import { DashboardConversations } from './dashboard-conversations.js';

/** Questions to charts and boards. */
@Module({
  imports: [BoardsModule],
  controllers: [DashboardChatController],
  providers: [DashboardConversations],
})
export class DashboardChatModule {}
