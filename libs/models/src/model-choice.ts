import { ChosenModels, type LanguageModel } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LanguageModels } from './language-models.js';

/** What the row of a turn says of its model. */
export interface TurnChoice {
  userId: number;
  /** Whom the turn was begun with; null of turns that a former release began, and of encrypted ones. */
  modelId: number | null;
}

/** Which model answers somebody. */
@Injectable()
export class ModelChoice extends ChosenModels {
  constructor(
    private readonly models: LanguageModels,
    private readonly dataSource: DataSource,
  ) {
    super();
  }

  get available(): boolean {
    return this.models.available;
  }

  async choose(userId: number | null, named?: number | null): Promise<LanguageModel> {
    if (named !== null && named !== undefined) return this.models.get(named);
    if (userId === null) return this.models.default;
    const [row] = await this.dataSource.query<{ llm_model_id: number | null }[]>(
      'SELECT llm_model_id FROM users WHERE id = $1',
      [userId],
    );
    const chosen = row?.llm_model_id ?? null;
    return (chosen === null ? null : this.models.find(chosen)) ?? this.models.default;
  }

  /**
   * The model of a turn: what the profile says by now counts for later ones.
   * @param named by the request @throws NotFoundError `model_not_found` for a named one that is configured no more
   */
  async ofTurn({ userId, modelId }: TurnChoice, named: number | null | undefined): Promise<LanguageModel> {
    if (named !== null && named !== undefined) return this.models.get(named);
    return (modelId === null ? null : this.models.find(modelId)) ?? this.choose(userId);
  }

  /**
   * For what is done beside a turn or after it, for which another model is never asked.
   * @returns null where the turn's own one is there no more
   */
  async findOfTurn({ userId, modelId }: TurnChoice): Promise<LanguageModel | null> {
    const model = modelId === null ? await this.choose(userId) : this.models.find(modelId);
    return model?.available ? model : null;
  }
}
