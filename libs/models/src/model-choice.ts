import type { LanguageModel } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LanguageModels } from './language-models.js';

/** Which model answers somebody. */
@Injectable()
export class ModelChoice {
  constructor(
    private readonly models: LanguageModels,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * The model that the request names, else the one that the user chose in the profile, else the default one.
   * @throws NotFoundError `model_not_found` for one that was named; a chosen one that is configured no more is passed over
   */
  async choose(userId: number, named?: number | null): Promise<LanguageModel> {
    if (named !== null && named !== undefined) return this.models.get(named);
    const [row] = await this.dataSource.query<{ llm_model_id: number | null }[]>(
      'SELECT llm_model_id FROM users WHERE id = $1',
      [userId],
    );
    const chosen = row?.llm_model_id ?? null;
    return (chosen === null ? null : this.models.find(chosen)) ?? this.models.default;
  }
}
