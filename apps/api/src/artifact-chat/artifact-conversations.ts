import { ArtifactChats, SessionTitles, Turns } from '@app/agents';
import { ArtifactAccess } from '@app/artifacts';
import type { Principal } from '@app/auth';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import { questionOf } from '../chats/question.js';
import type { ArtifactChatRequest } from './artifact-chat.dto.js';
import { NamedSources, requireFew } from './named-sources.js';
import { pageContextOf } from './page-context.js';

/** Conversations that make a page, or are about one (docs/contract/artifact-chat.md). Scoped to the user. */
@Injectable()
export class ArtifactConversations {
  constructor(
    private readonly turns: Turns,
    private readonly models: ModelChoice,
    private readonly titles: SessionTitles,
    private readonly chats: ArtifactChats,
    private readonly access: ArtifactAccess,
    private readonly sources: NamedSources,
  ) {}

  /**
   * Begins a turn, or answers the one that waits for a word.
   * @returns its id. @throws what is wrong with the call before anything is stored, and what `Turns.begin` throws
   */
  async begin({ userId }: Principal, body: ArtifactChatRequest): Promise<string> {
    const question = questionOf(body.message);
    const pageContext = pageContextOf(body.page_context);
    const sources = await this.sources.of(userId, body.file_uids ?? [], body.source_refs ?? []);
    const artifact = body.artifact_id ? await this.access.requireOwner(userId, body.artifact_id) : null;
    const artifactSources = Object.keys(artifact?.sources ?? {});
    requireFew([...(sources ?? []), ...artifactSources]);
    await this.models.require(userId, body.llm_model_id);
    const mode = body.mode ?? 'build';
    const subject = {
      artifactId: artifact?.id ?? null,
      title: artifact?.title ?? null,
      needsArtifact: mode === 'ask',
      sources,
      artifactSources,
    };
    const begun = await this.turns.begin({
      userId,
      kind: 'artifact',
      conversation: { conversationId: body.conversation_id, sessionId: body.chat_session_id ?? undefined },
      question,
      handler: 'artifact-chat',
      request: {
        mode,
        pageContext,
        reasoningEffort: body.reasoning_effort ?? null,
        llmModelId: body.llm_model_id ?? null,
      },
      clientTurnId: body.client_turn_id ?? undefined,
      bind: (tx, sessionId) => this.chats.bind(tx, sessionId, subject),
      // What is asked here may only read: it is no word for a turn that may write.
      repliesToWaiting: { mode },
    });
    // A conversation about an artifact is called like it.
    if (!begun.isRepeat && !begun.isReply && !artifact) await this.titles.askFor(begun.sessionId);
    return begun.turnId;
  }
}
