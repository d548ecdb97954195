import { ArtifactChats, TurnWaiting } from '@app/agents';
import { Module } from '@nestjs/common';
import { AgentReplies } from '../agent/agent-replies.js';
import { ArtifactChatController } from './artifact-chat.controller.js';
import { ArtifactConversations } from './artifact-conversations.js';
import { NamedSources } from './named-sources.js';

/** Agents that make pages. */
@Module({
  controllers: [ArtifactChatController],
  providers: [AgentReplies, ArtifactChats, ArtifactConversations, NamedSources, TurnWaiting],
})
export class ArtifactChatModule {}
