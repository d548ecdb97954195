import type { LanguageModel, ModelMessage, UsageContext } from '@app/integrations';
import { QueryModels } from '@app/models';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import { aborted } from '../search/optional-step.js';
import { isLong, leansOnConversation } from './leaning.js';
import { asksForSeveral } from './many-sided.js';
import {
  MOST_QUERIES,
  QUERY_SCHEMA,
  queryInstructions,
  queryMessage,
  readQueries,
  shownHistory,
} from './query-prompt.js';

/** A question that is asked again within this time costs no second call. */
const KEPT = { max: 5_000, ttl: 15 * 60_000 };
/** A model that was too slow so often in a row is left alone for so long: nobody else waits for it. */
const TOO_SLOW = { times: 3, restMs: 30_000 };
const ANSWER_TOKENS = 800;

export interface PlannedQuestion {
  question: string;
  /** Earlier turns of the conversation, oldest first. */
  history: readonly ModelMessage[];
  /** Who answers. */
  model: LanguageModel;
  /** On whose account; nobody else is given what was written for it. */
  usage: UsageContext;
  signal?: AbortSignal | undefined;
}

/**
 * Has a model write what to search for: a question that leans on the conversation as one that stands alone, one that
 * asks for several things as one query for each. Whatever goes wrong, the words of the question are enough.
 */
@Injectable()
export class QueryPlanner {
  private readonly logger = new Logger(QueryPlanner.name);
  private readonly kept = new LRUCache<string, readonly string[]>(KEPT);
  /** By model: how often in a row it was too slow, and until when (performance.now) it rests. */
  private readonly slow = new Map<number, { times: number; restsUntil: number }>();

  constructor(private readonly models: QueryModels) {}

  /**
   * Up to four queries, beside which the words of the question are searched as well; none where the question needs no
   * model, none is to be asked, or it did not answer in time.
   * @throws the reason of `signal`, nothing else
   */
  async plan(asked: PlannedQuestion): Promise<readonly string[]> {
    const { rewriting, splitting } = this.models.settings;
    const { question, history } = asked;
    if (isLong(question)) return [];
    const leans = rewriting && history.length > 0 && leansOnConversation(question);
    const several = splitting && asksForSeveral(question);
    if (!leans && !several) return [];
    const model = this.models.choose(asked.model);
    if (!model || this.rests(model)) return [];
    // A question may both lean and ask for several things, whatever its words tell.
    const call = { system: queryInstructions(splitting), shown: rewriting ? shownHistory(history) : [] };
    const key = keyOf([asked.usage.userId, model.descriptor.id, call.system, call.shown, question]);
    const known = this.kept.get(key);
    if (known) return known;
    const queries = await this.ask(model, asked, call);
    if (queries) this.kept.set(key, queries);
    return queries ?? [];
  }

  /** Null where the model could not be asked; that is not kept. */
  private async ask(
    model: LanguageModel,
    { question, usage, signal }: PlannedQuestion,
    { system, shown }: { system: string; shown: ReturnType<typeof shownHistory> },
  ): Promise<readonly string[] | null> {
    const { timeoutSeconds, splitting } = this.models.settings;
    const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
    const within = signal ? AbortSignal.any([timeout, signal]) : timeout;
    try {
      signal?.throwIfAborted();
      const writing = model.generate({
        system,
        messages: [queryMessage(shown, question)],
        reasoningEffort: 'low',
        maxOutputTokens: ANSWER_TOKENS,
        outputSchema: QUERY_SCHEMA,
        usage: { ...usage, purpose: 'query' },
        signal: within,
      });
      const { object } = await Promise.race([writing, aborted(within)]);
      this.slow.delete(model.descriptor.id);
      return readQueries(object, splitting ? MOST_QUERIES : 1);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeout.aborted) this.countSlow(model);
      const reason = timeout.aborted ? `no answer within ${timeoutSeconds} s` : String(error);
      this.logger.warn(`A question is searched by its words alone: model ${model.descriptor.id}: ${reason}`);
      return null;
    }
  }

  private rests({ descriptor }: LanguageModel): boolean {
    return performance.now() < (this.slow.get(descriptor.id)?.restsUntil ?? 0);
  }

  private countSlow({ descriptor }: LanguageModel): void {
    const times = (this.slow.get(descriptor.id)?.times ?? 0) + 1;
    const restsUntil = times >= TOO_SLOW.times ? performance.now() + TOO_SLOW.restMs : 0;
    this.slow.set(descriptor.id, { times, restsUntil });
  }
}

function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
