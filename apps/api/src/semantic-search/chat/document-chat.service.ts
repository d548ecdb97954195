import { SOURCE_LISTS, type DocumentTurnRequest } from '@app/agents';
import { InvalidRequestError } from '@app/common';
import { findableFolder, normalizeTags } from '@app/documents';
import { ModelChoice } from '@app/models';
import { indexUnavailable, requireAskable, Retriever, type SearchMode } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { questionOf } from '../../chats/question.js';
import { TurnAnswers } from '../../chats/turn-answers.js';
import type { ApiRequest } from '../../http/api-request.js';
import type { ChatRequest } from '../../chats/chat-request.dto.js';

const MAX_FILES = 50;

export interface ChatScope {
  /** Each must be the viewer's to read, and ready. */
  uids?: readonly string[] | null | undefined;
  /** As the client wrote it. */
  folder?: string | null | undefined;
  /** As the client wrote them. */
  tags?: readonly string[] | null | undefined;
  query?: string | null | undefined;
  mode?: SearchMode;
  limit?: number;
  sources: DocumentTurnRequest['sources'];
}

/** One question to documents: checked here, answered by the workflow-runner, streamed as it is told. */
@Injectable()
export class DocumentChat {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: TurnAnswers,
    private readonly models: ModelChoice,
    private readonly retriever: Retriever,
  ) {}

  async reply(userId: number, body: ChatRequest, asked: ChatScope, request: ApiRequest, response: Response) {
    const question = questionOf(body.message);
    const { uids, folder, mode = 'hybrid' } = asked;
    if (uids && folder)
      throw new InvalidRequestError('Name documents or a folder, not both.', { code: 'ambiguous_scope' });
    if (uids) await this.requireAskable(userId, uids);
    await this.models.foresee(userId, body.llm_model_id);
    if (!this.retriever.can(mode)) throw indexUnavailable();
    const turn = {
      uids: uids ? [...uids] : null,
      folder: folder === undefined || folder === null ? null : findableFolder(folder),
      tags: normalizeTags(asked.tags ?? []),
      query: asked.query ?? null,
      mode,
      limit: asked.limit ?? null,
      sources: asked.sources,
      language: body.language ?? null,
      llmModelId: body.llm_model_id ?? null,
    } satisfies DocumentTurnRequest;
    const { conversation_id, chat_session_id, client_turn_id } = body;
    await this.answers.stream(
      {
        userId,
        kind: 'document',
        handler: 'document',
        question,
        request: turn,
        conversation_id,
        chat_session_id,
        client_turn_id,
      },
      SOURCE_LISTS[asked.sources].separator,
      request,
      response,
    );
  }

  private async requireAskable(userId: number, uids: readonly string[]): Promise<void> {
    if (new Set(uids).size > MAX_FILES)
      throw new InvalidRequestError(`At most ${MAX_FILES} documents can be asked at once.`, { code: 'too_many_files' });
    await requireAskable(this.dataSource, userId, uids);
  }
}
