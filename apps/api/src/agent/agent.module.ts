import { TurnTraces, TurnWaiting } from '@app/agents';
import { Module } from '@nestjs/common';
import { AttachedFiles } from '../secure-gpt/attached-files.js';
import { AgentChat } from './agent-chat.js';
import { AgentReplies } from './agent-replies.js';
import { AgentChatController } from './agent-chat.controller.js';
import { TurnsController } from './turns.controller.js';

/** Conversations with the agent, and turns of every kind. */
@Module({
  providers: [AgentChat, AgentReplies, AttachedFiles, TurnTraces, TurnWaiting],
  controllers: [AgentChatController, TurnsController],
})
export class AgentModule {}
