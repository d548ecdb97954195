import { findOwnSession, SealedText, SealedTurns, type SealedTurnRequest, type SecureTurnRequest } from '@app/agents';
import { derivedId, ForbiddenError, newId, UnavailableError } from '@app/common';
import { ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { questionOf } from '../chats/question.js';
import { TurnAnswers, type AskedTurn } from '../chats/turn-answers.js';
import type { ApiRequest } from '../http/api-request.js';
import { AttachedFiles } from './attached-files.js';
import { encryptedHistoryOf } from './encrypted-history.js';
import type { KeepEncryptedRequest, SecureChatRequest } from './secure-chat.dto.js';

const KIND = 'chat';
/** Namespace of the conversations of encrypted calls that have a name and no session. */
const NAMED_CALLS = 'c8b4f7b2-9c1d-4f57-8e0e-5e3f0a8d7a64';

/** A plain conversation with a model (docs/contract/chats.md#plain-and-encrypted-chats). */
@Injectable()
export class SecureChat {
  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: TurnAnswers,
    private readonly models: ModelChoice,
    private readonly files: AttachedFiles,
    private readonly sealed: SealedText,
    private readonly encrypted: SealedTurns,
  ) {}

  async reply(userId: number, body: SecureChatRequest, request: ApiRequest, response: Response): Promise<void> {
    const question = questionOf(body.message);
    const history = encryptedHistoryOf(body.encrypted);
    const sessionId = body.chat_session_id ?? undefined;
    const session = sessionId === undefined ? null : await this.sessionOf(userId, sessionId);
    if (!(await this.models.foresee(userId, body.llm_model_id)).available)
      throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
    const asked: SecureTurnRequest = {
      language: body.language ?? null,
      llmModelId: body.llm_model_id ?? null,
      attachments: await this.files.resolve(userId, body.attached_files ?? []),
      reasoningEffort: body.reasoning_effort ?? null,
    };
    const turn: AskedTurn = {
      userId,
      kind: KIND,
      handler: 'secure',
      question,
      request: asked,
      chat_session_id: sessionId,
      client_turn_id: body.client_turn_id,
    };
    const told = history === null ? turn : this.seal(turn, { ...asked, question, history }, session);
    await this.answers.stream(told, null, request, response);
  }

  /** Question and answer as the client encrypted them. @throws NotFoundError, ConflictError `turn_running` */
  async keep(userId: number, turnId: string, { question, answer, title }: KeepEncryptedRequest): Promise<void> {
    await this.encrypted.keep(userId, turnId, { question, answer, title: title ?? null });
  }

  private seal(turn: AskedTurn, request: SealedTurnRequest, session: string | null): AskedTurn {
    const { userId, client_turn_id: name } = turn;
    const conversation = session ?? (name === undefined ? newId() : derivedId(NAMED_CALLS, `${userId}:${name}`));
    return {
      ...turn,
      question: '',
      conversation_id: conversation,
      request: { sealed: this.sealed.sealRequest(conversation, request) },
    };
  }

  /** @returns its conversation. @throws ForbiddenError, which does not tell whether there is such a session */
  private async sessionOf(userId: number, id: number): Promise<string> {
    const row = await findOwnSession(this.dataSource, userId, KIND, { id });
    if (!row) throw new ForbiddenError('This chat session is not yours.', { code: 'chat_session_not_yours' });
    return row.conversationId;
  }
}
