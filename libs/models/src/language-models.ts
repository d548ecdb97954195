import { NotFoundError } from '@app/common';
import type { LanguageModel, ModelDescriptor } from '@app/integrations';

/** A model as people choose it. */
export interface ListedModel extends ModelDescriptor {
  description: string | null;
  details: readonly string[];
}

/** The language models of the deployment. Where none is configured, the embedded quoting model has the id 1. */
export class LanguageModels {
  /** Who answers where nobody chose. */
  readonly default: LanguageModel;
  private readonly byId: ReadonlyMap<number, LanguageModel>;

  /**
   * @param answering the chat and vision models
   * @param listed all of them, in the order of the configuration
   */
  constructor(
    preset: LanguageModel,
    answering: readonly LanguageModel[],
    private readonly listed: readonly ListedModel[],
  ) {
    this.default = preset;
    this.byId = new Map(answering.map((model) => [model.descriptor.id, model]));
  }

  /** Whether there is one at all; without, answers are made by quoting (docs/contract/search.md#without-a-model). */
  get available(): boolean {
    return this.default.available;
  }

  list(): readonly ListedModel[] {
    return this.listed;
  }

  /** @param id of GET /users/models/ @returns null for an id that answers nothing */
  find(id: number): LanguageModel | null {
    return this.byId.get(id) ?? null;
  }

  /** @param id null or undefined: the default model @throws NotFoundError `model_not_found` */
  get(id: number | null | undefined): LanguageModel {
    const model = id === null || id === undefined ? this.default : this.find(id);
    if (!model) throw new NotFoundError('There is no such model.', { code: 'model_not_found' });
    return model;
  }

  /** @param name as its endpoint knows it, or as people read it, or its id */
  findByName(name: string): LanguageModel | null {
    const models = [...this.byId.values()];
    const matches = (same: (descriptor: ModelDescriptor) => boolean) =>
      models.find(({ descriptor }) => same(descriptor));
    return (
      matches(({ value }) => value === name) ??
      matches((descriptor) => descriptor.name === name) ??
      matches(({ id }) => String(id) === name) ??
      null
    );
  }
}
