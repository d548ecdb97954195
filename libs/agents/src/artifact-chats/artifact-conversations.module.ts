import { Module } from '@nestjs/common';
import { ConversationsOfArtifact } from './conversations-of-artifact.js';

/** Conversations go with their artifact: for every app that deletes artifacts. Stands on its `ArtifactRemovalModule`. */
@Module({ providers: [ConversationsOfArtifact] })
export class ArtifactConversationsModule {}
