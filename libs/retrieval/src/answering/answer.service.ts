import type { AnswerLanguage } from '@app/common';
import {
  type AnswerStream,
  ChosenModels,
  type LanguageModel,
  type ModelMessage,
  type UsageContext,
} from '@app/integrations';
import { answerWithin, contextTokensOf } from '@app/models';
import { Injectable } from '@nestjs/common';
import { fuseHits } from '../queries/fuse-hits.js';
import { QueryPlanner } from '../queries/query-planner.js';
import { wordQueries } from '../queries/word-queries.js';
import { Neighbours } from '../search/neighbours.js';
import { Retriever, type SearchMode, type SearchRequest } from '../search/retriever.js';
import type { SearchScope, Viewer } from '../search/scope.js';
import type { SearchHit } from '../search/search-hit.js';
import { citePassages, type CitationUnit, type CitedPassage } from './cited-passages.js';
import { DocumentTerms } from './document-terms.js';
import { fitPrompt } from './fitted-prompt.js';
import { otherWords } from './other-words.js';
import { placeQuotes, type QuoteSpans } from './quote-spans.js';
import { quoteSentences, type QuoteChoice } from './quote-sentences.js';
import { toQuotedPassages } from './quoted-passages.js';
import { quoteAnswer, wordingLanguage } from './quoting-model.js';

/** Some 2,500 tokens of passages: fits the smallest context windows beside the history. */
const PASSAGES = 6;
/** Each of several queries has two at least, within the same characters: there is less around each of them then. */
const passagesFor = (queries: number): number => Math.max(PASSAGES, 2 * (queries + 1));
/** With their neighbours, in characters: some 4,000 tokens of English, and a third of a window that is known to be small. */
const WIDE_CHARACTERS = 16_000;
const WIDE_SHARE = 1 / 3;
const CHARACTERS_PER_TOKEN = 3;

export interface AnswerRequest {
  viewer: Viewer;
  question: string;
  scope: SearchScope;
  /** Earlier turns of the conversation, oldest first. */
  history?: readonly ModelMessage[];
  /** Of the answer; that of the question when absent. */
  language?: AnswerLanguage | undefined;
  /** What to look for, where that is not the question. */
  query?: string | undefined;
  /** What `queriesFor` said for this question before; found out anew when absent. */
  queries?: readonly string[] | undefined;
  mode?: SearchMode | undefined;
  /** Passages that the answer may rest on; 6 unless told, up to 10 where a model wrote several queries. */
  limit?: number | undefined;
  /** What the numbers of its citations count; passages unless told. */
  citations?: CitationUnit | undefined;
  /** Passages that were found before, where an answer goes on: nothing is searched. */
  passages?: readonly SearchHit[] | undefined;
  /** Messages after the question, by which a model goes on with an answer. */
  followUp?: readonly ModelMessage[] | undefined;
  /** Who answers; the model that the viewer chose unless told. */
  model?: LanguageModel | undefined;
  /** On whose account the model works; the viewer's, as a chat, unless told. */
  usage?: UsageContext | undefined;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  /** What the answer rests on, in the order of its citations. */
  sources: SearchHit[];
  /** Where what is quoted stands, by chunk id of its source; nothing where a model answers in its own words. */
  quoteSpans: QuoteSpans;
  stream: AnswerStream;
  /** Who answers: the configured model, or the quoting one. */
  model: string;
}

/** Answers questions from the documents that the viewer may read. */
@Injectable()
export class AnswerService {
  constructor(
    private readonly retriever: Retriever,
    private readonly models: ChosenModels,
    private readonly neighbours: Neighbours,
    private readonly documents: DocumentTerms,
    private readonly planner: QueryPlanner,
  ) {}

  /**
   * What a model would have searched beside the words of the question; none where nothing is searched, or the request
   * names the query. @throws the reason of `signal`
   */
  async queriesFor(request: AnswerRequest): Promise<readonly string[]> {
    if (request.query !== undefined || request.passages) return [];
    const { question, history = [], signal } = request;
    const model = await this.modelOf(request);
    return this.planner.plan({ question, history, model, usage: usageOf(request), signal });
  }

  /**
   * Finds the sources, then gives the answer as a stream that begins its work when it is read. History and passages
   * that the model's window does not hold are left out.
   * @throws InvalidRequestError `context_too_long` for a question of which less than a quarter could be read
   */
  async answer(request: AnswerRequest): Promise<Answer> {
    const { viewer, question, history = [], language = null, followUp = [], signal } = request;
    const model = await this.modelOf(request);
    const queries = request.queries ?? (await this.queriesFor({ ...request, model }));
    const own: readonly string[] = request.query === undefined ? wordQueries(question, history) : [request.query];
    const hits = request.passages ?? (await this.find(request, own, queries));
    const found = citePassages(hits, request.citations ?? 'passage');
    const usage = usageOf(request);
    // What was looked for and what is asked may each name only a part of it.
    const asked = request.query === undefined ? [...queries, ...own] : [`${request.query}\n${question}`];
    const choice = await this.quotesFor(asked, found, viewer);
    if (!model.available) {
      const stream = quoteAnswer(choice, found, wordingLanguage(language, question));
      const sources = found.map(({ hit }) => hit);
      return { sources, quoteSpans: placeQuotes(choice.quotes, found), stream, model: model.descriptor.value };
    }
    const wide = await this.widened(request, found, model);
    const prompt = { question, passages: wide, choice, history, followUp, language };
    const fit = (contextTokens: number) => fitPrompt(prompt, model.descriptor, contextTokens);
    const { passages } = fit(contextTokensOf(model.descriptor));
    const stream = answerWithin(model, (contextTokens) => {
      const { system, messages, notice } = fit(contextTokens);
      const goesOn = followUp.length > 0;
      return { request: { system, messages, usage, ...(signal ? { signal } : {}) }, notice, goesOn };
    });
    return { sources: passages.map(({ hit }) => hit), quoteSpans: new Map(), stream, model: model.descriptor.value };
  }

  private async modelOf({ model, viewer }: AnswerRequest): Promise<LanguageModel> {
    return model ?? (await this.models.choose(viewer.userId));
  }

  /** What the words of the question find, and beside them the queries of a model. */
  private async find(request: AnswerRequest, own: readonly string[], queries: readonly string[]): Promise<SearchHit[]> {
    const { viewer, scope, mode = 'hybrid', limit = passagesFor(queries.length), signal } = request;
    const search = (query: string) => this.search({ ...scope, viewer, query, mode, limit, signal });
    const written = queries.filter((query) => !own.includes(query));
    const [byWords, byQueries] = await Promise.all([Promise.all(own.map(search)), Promise.all(written.map(search))]);
    return fuseHits(byQueries, fuseHits(byWords.slice(0, -1), byWords.at(-1)!, limit), limit);
  }

  /** What a query finds; where that is nothing, what other words for the same thing find. */
  private async search(wanted: SearchRequest): Promise<SearchHit[]> {
    const { hits } = await this.retriever.search(wanted);
    const query = hits.length > 0 ? '' : otherWords(wanted.query);
    return query === '' ? hits : (await this.retriever.search({ ...wanted, query })).hits;
  }

  /** The quotes for the first of several wordings that has any; what the last one lacks where none has. */
  private async quotesFor(wordings: readonly string[], found: readonly CitedPassage[], viewer: Viewer) {
    let choice: QuoteChoice = { quotes: [], unknown: [], unanswered: [] };
    for (const asked of wordings) {
      choice = quoteSentences(asked, await toQuotedPassages(asked, found, viewer, this.documents));
      if (choice.quotes.length > 0) break;
    }
    return choice;
  }

  /** With what stands around them on their pages, as far as the window of the model allows. */
  private async widened(
    { viewer, scope }: AnswerRequest,
    passages: readonly CitedPassage[],
    { descriptor: { contextWindow } }: LanguageModel,
  ): Promise<CitedPassage[]> {
    const fits = contextWindow === null ? WIDE_CHARACTERS : contextWindow * WIDE_SHARE * CHARACTERS_PER_TOKEN;
    const hits = passages.map(({ hit }) => hit);
    const texts = await this.neighbours.widen(viewer, scope, hits, Math.min(WIDE_CHARACTERS, fits));
    return passages.map((passage) => ({ ...passage, shown: texts.get(passage.hit.chunkId) }));
  }
}

function usageOf({ usage, viewer }: AnswerRequest): UsageContext {
  return usage ?? { userId: viewer.userId, purpose: 'chat' };
}
