import type { LanguageModel } from '@app/integrations';
import type { LanguageModels } from './language-models.js';

export interface QuerySettings {
  /** Whether questions that lean on a conversation are written out for the search. */
  rewriting: boolean;
  /** Whether questions that ask for several things are searched for one by one. */
  splitting: boolean;
  /** Who does it, by value, name or id; the model that answers when absent. */
  model?: string | undefined;
  timeoutSeconds: number;
}

/** Which model turns questions into queries, and what for. */
export class QueryModels {
  constructor(
    readonly settings: QuerySettings,
    private readonly models: Pick<LanguageModels, 'findByName'>,
  ) {}

  /**
   * @param own the model that answers; one of the house is asked itself, where the one for queries is elsewhere
   * @returns null where there is none: then the words of the question are the query
   */
  choose(own: LanguageModel): LanguageModel | null {
    const { model } = this.settings;
    const other = model === undefined ? null : this.models.findByName(model);
    const chosen = other && (other.descriptor.onPremises || !own.descriptor.onPremises) ? other : own;
    return chosen.available ? chosen : null;
  }
}
