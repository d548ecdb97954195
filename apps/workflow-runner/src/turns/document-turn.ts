import {
  continuationMessages,
  documentTurnRequest,
  requireAskable,
  SOURCE_LISTS,
  TurnHistory,
  type DocumentTurnRequest,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import { ModelChoice } from '@app/models';
import { AnswerService, toIndexUnavailable, type Answer, type SearchHit } from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { tell } from './tell.js';

/** The passages are kept with their text: an answer that goes on rests on the same ones, whatever is found by then. */
const documentTurnState = z.object({ passages: z.custom<SearchHit[]>(Array.isArray) });

/** Answers a question to documents (document 3, B5). */
@Injectable()
export class DocumentTurnHandler implements TurnHandler {
  readonly name = 'document';

  constructor(
    private readonly dataSource: DataSource,
    private readonly answers: AnswerService,
    private readonly models: ModelChoice,
    private readonly history: TurnHistory,
  ) {}

  async run(context: TurnContext): Promise<TurnOutcome> {
    const { turn } = context;
    const request = documentTurnRequest.parse(turn.request);
    const kept = turn.state === null ? null : documentTurnState.parse(turn.state).passages;
    // Rights count at the time of the answer: a share may have been taken back while the turn waited.
    const named = kept === null ? request.uids : kept.map(({ uid }) => uid);
    if (named) await requireAskable(this.dataSource, turn.userId, named);
    const answer = await this.answer(context, request, kept);
    if (kept === null) await context.saveState({ passages: answer.sources });
    context.sources(SOURCE_LISTS[request.sources].list(answer.sources, answer.quoteSpans));
    await tell(context, answer.stream);
    return { usage: answer.stream.usage(), model: answer.stream.answeredBy?.() ?? answer.model };
  }

  private async answer(
    { turn, told, signal }: TurnContext,
    { uids, folder, query, mode, limit, language, llmModelId, sources }: DocumentTurnRequest,
    kept: readonly SearchHit[] | null,
  ): Promise<Answer> {
    const answering = this.answers.answer({
      viewer: { userId: turn.userId },
      question: turn.question,
      query: query ?? undefined,
      mode,
      limit: limit ?? undefined,
      scope: { uids: uids ?? undefined, folder: folder ?? undefined },
      citations: SOURCE_LISTS[sources].citations,
      passages: kept ?? undefined,
      followUp: told.text === '' ? [] : continuationMessages(told.text),
      history: await this.history.messages(turn.sessionId, turn.id),
      language: language ?? undefined,
      model: await this.models.choose(turn.userId, llmModelId),
      usage: { userId: turn.userId, purpose: 'chat', turnId: turn.id },
      signal,
    });
    return answering.catch(toIndexUnavailable);
  }
}
