import type { ClaimedTurn, TurnContext, TurnHistory } from '@app/agents';
import type { ModelChoice } from '@app/models';
import type { Answer, AnswerRequest, AnswerService } from '@app/retrieval';
import type { DataSource } from 'typeorm';
import { DocumentTurnHandler } from './document-turn.js';

const request = {
  language: null,
  llmModelId: null,
  uids: null,
  folder: null,
  query: null,
  mode: 'hybrid',
  limit: null,
};

/** A turn that goes on from `state`. */
async function work(state: Record<string, unknown> | null) {
  const saved: Record<string, unknown>[] = [];
  const asked: AnswerRequest[] = [];
  const queriesFor = jest.fn(async () => ['warranty in Norway']);
  const answer = async (one: AnswerRequest): Promise<Answer> => {
    asked.push(one);
    const stream = { usage: () => null, async *[Symbol.asyncIterator]() {} };
    return { sources: [], quoteSpans: new Map(), stream, model: 'm' };
  };
  const turn = {
    id: 't',
    userId: 1,
    sessionId: 1,
    question: 'And in Norway?',
    request: { ...request, sources: 'paths' },
  };
  const context = {
    turn: { ...turn, state } as unknown as ClaimedTurn,
    published: { sources: null, text: '' },
    signal: new AbortController().signal,
    sources: () => undefined,
    text: () => undefined,
    flush: async () => undefined,
    saveState: async (each: Record<string, unknown>) => void saved.push(each),
  } as unknown as TurnContext;
  const handler = new DocumentTurnHandler(
    { query: async () => [] } as unknown as DataSource,
    { queriesFor, answer } as unknown as AnswerService,
    { ofTurn: async () => ({}) } as unknown as ModelChoice,
    { messagesWithoutCitations: async () => [] } as unknown as TurnHistory,
  );
  await handler.run(context);
  return { saved, asked, queriesFor };
}

describe('DocumentTurnHandler', () => {
  it('keeps what a model wrote to search for before anything is searched', async () => {
    const { saved, asked } = await work(null);
    expect(saved).toEqual([{ queries: ['warranty in Norway'] }, { queries: ['warranty in Norway'], passages: [] }]);
    expect(asked[0]!.queries).toEqual(['warranty in Norway']);
  });

  it.each([{ queries: ['kept'] }, { queries: ['kept'], passages: [] }])(
    'asks no model again for a turn that goes on from %j',
    async (state) => {
      const { queriesFor, asked } = await work(state);
      expect(queriesFor).not.toHaveBeenCalled();
      expect(asked[0]!.queries).toEqual(['kept']);
    },
  );

  it('goes on from what was kept before there were queries', async () => {
    const { asked } = await work({ passages: [] });
    expect(asked[0]!.passages).toEqual([]);
  });
});
