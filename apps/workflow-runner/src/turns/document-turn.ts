import {
  continuationMessages,
  documentTurnRequest,
  SOURCE_LISTS,
  TurnHistory,
  type DocumentTurnRequest,
  type TurnContext,
  type TurnHandler,
  type TurnOutcome,
} from '@app/agents';
import { ModelChoice } from '@app/models';
import {
  AnswerService,
  requireAskable,
  toIndexUnavailable,
  type Answer,
  type AnswerRequest,
  type SearchHit,
} from '@app/retrieval';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { publish } from './publish.js';

/**
 * What a turn goes on from: the queries that a model wrote for it, so that it is asked once, and the passages with their
 * text, as an answer that goes on rests on the same ones, whatever is found by then.
 */
const documentTurnState = z.object({
  queries: z.array(z.string()).optional(),
  passages: z.custom<SearchHit[]>(Array.isArray).optional(),
});
type DocumentTurnState = z.infer<typeof documentTurnState>;

/** Answers a question to documents (docs/contract/search.md#chats-with-documents). */
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
    const kept = documentTurnState.parse(turn.state ?? {});
    // Rights count at the time of the answer: a share may have been taken back while the turn waited.
    const named = kept.passages?.map(({ uid }) => uid) ?? request.uids;
    if (named) await requireAskable(this.dataSource, turn.userId, named);
    const answer = await this.answer(context, request, kept).catch(toIndexUnavailable);
    context.sources(SOURCE_LISTS[request.sources].list(answer.sources, answer.quoteSpans));
    await publish(context, answer.stream);
    return { usage: answer.stream.usage(), model: answer.stream.answeredBy?.() ?? answer.model };
  }

  private async answer(context: TurnContext, request: DocumentTurnRequest, kept: DocumentTurnState): Promise<Answer> {
    const asked = await this.toAnswerRequest(context, request, kept);
    const queries = kept.queries ?? (await this.answers.queriesFor(asked));
    const written = queries.length > 0 ? { queries: [...queries] } : {};
    if (queries.length > 0 && !kept.queries) await context.saveState(written);
    const answer = await this.answers.answer({ ...asked, queries });
    if (!kept.passages) await context.saveState({ ...written, passages: answer.sources });
    return answer;
  }

  private async toAnswerRequest(
    { turn, published, signal }: TurnContext,
    { uids, folder, tags, query, mode, limit, language, llmModelId, sources }: DocumentTurnRequest,
    { passages }: DocumentTurnState,
  ): Promise<AnswerRequest> {
    return {
      viewer: { userId: turn.userId },
      question: turn.question,
      query: query ?? undefined,
      mode,
      limit: limit ?? undefined,
      scope: { uids: uids ?? undefined, folder: folder ?? undefined, tags: tags ?? undefined },
      citations: SOURCE_LISTS[sources].citations,
      passages,
      followUp: published.text === '' ? [] : continuationMessages(published.text),
      history: await this.history.messagesWithoutCitations(turn.sessionId, turn.id),
      language: language ?? undefined,
      model: await this.models.ofTurn(turn, llmModelId),
      usage: { userId: turn.userId, purpose: 'chat', turnId: turn.id },
      signal,
    };
  }
}
