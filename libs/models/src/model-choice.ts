import { UnavailableError } from '@app/common';
import { ChosenModels, type LanguageModel } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LanguageModels, type ListedModel, modelNotFound } from './language-models.js';
import { OwnModels } from './registered/own-models.js';
import { SharedRegistry } from './registered/shared-registry.js';

/** What the row of a turn says of its model. */
export interface TurnChoice {
  userId: number;
  /** Whom the turn was begun with; null of turns that a former release began, and of encrypted ones. */
  modelId: number | null;
}

/** Which model answers somebody: of those that everybody may use, their own, and those of their organisation. */
@Injectable()
export class ModelChoice extends ChosenModels {
  constructor(
    private readonly models: LanguageModels,
    private readonly own: OwnModels,
    private readonly registry: SharedRegistry,
    private readonly dataSource: DataSource,
  ) {
    super();
  }

  /** Whether anybody here is answered by a model; whether one person is, the chosen one says. */
  get available(): boolean {
    return this.models.available || this.registry.hasOwn;
  }

  async choose(userId: number | null, named?: number | null): Promise<LanguageModel> {
    if (named !== null && named !== undefined) return this.get(userId, named);
    if (userId === null) return this.models.default;
    const [row] = await this.dataSource.query<{ llm_model_id: number | null; organization_id: number | null }[]>(
      'SELECT llm_model_id, organization_id FROM users WHERE id = $1',
      [userId],
    );
    const chosen = row?.llm_model_id ?? null;
    if (!row || chosen === null) return this.models.default;
    return (
      this.models.find(chosen) ?? (await this.own.find(userId, chosen, row.organization_id)) ?? this.models.default
    );
  }

  /**
   * Whether somebody will be answered, before anything is stored: the profile is not read where each choice answers alike.
   * @returns a model that is as `available` as the one that will answer
   * @throws NotFoundError `model_not_found` for a named one that there is not for this person
   */
  async foresee(userId: number, named: number | null | undefined): Promise<LanguageModel> {
    const isAlike = this.models.available || !this.registry.hasOwn;
    return (named === null || named === undefined) && isAlike ? this.models.default : this.choose(userId, named);
  }

  /**
   * For what is nothing without a model, before anything of it is stored.
   * @param named by the call
   * @throws UnavailableError `model_not_configured`; NotFoundError `model_not_found`
   */
  async require(userId: number, named: number | null | undefined): Promise<void> {
    if (this.available && (await this.foresee(userId, named)).available) return;
    throw new UnavailableError('No language model is configured.', { code: 'model_not_configured' });
  }

  /** @returns null for an id that answers nothing, or not this person */
  async find(userId: number, id: number): Promise<LanguageModel | null> {
    return this.models.find(id) ?? this.own.find(userId, id);
  }

  /**
   * @param name as its endpoint knows it, or as people read it, or its id; one that everybody may use goes first
   * @param db the transaction at work
   */
  async findNamed(
    userId: number | null,
    name: string,
    db?: Pick<EntityManager, 'query'>,
  ): Promise<LanguageModel | null> {
    const shared = this.models.findByName(name);
    return shared || userId === null ? shared : this.own.findNamed(userId, name, db);
  }

  /** All that the person may choose: those that everybody may use first. */
  async list(userId: number): Promise<readonly ListedModel[]> {
    const own = await this.own.list(userId);
    return own.length === 0 ? this.models.list() : [...this.models.list(), ...own];
  }

  /**
   * The model of a turn: what the profile says by now counts for later ones.
   * @param named by the request @throws NotFoundError `model_not_found` for a named one that is there no more
   */
  async ofTurn({ userId, modelId }: TurnChoice, named: number | null | undefined): Promise<LanguageModel> {
    if (named !== null && named !== undefined) return this.get(userId, named);
    return (modelId === null ? null : await this.find(userId, modelId)) ?? this.choose(userId);
  }

  /**
   * For what is done beside a turn or after it, for which another model is never asked.
   * @returns null where the turn's own one is there no more
   */
  async findOfTurn({ userId, modelId }: TurnChoice): Promise<LanguageModel | null> {
    const model = modelId === null ? await this.choose(userId) : await this.find(userId, modelId);
    return model?.available ? model : null;
  }

  private async get(userId: number | null, id: number): Promise<LanguageModel> {
    const model = userId === null ? this.models.find(id) : await this.find(userId, id);
    if (!model) throw modelNotFound();
    return model;
  }
}
