import { NotFoundError } from '@app/common';
import type { LanguageModel, ModelDescriptor } from '@app/integrations';
import type { Endpoint } from './calls/endpoint.js';

/** A model as people choose it. */
export interface ListedModel extends ModelDescriptor {
  description: string | null;
  details: readonly string[];
  /** Who declares it: the settings, staff, an organisation for its members, or the person alone. */
  source: 'settings' | 'platform' | 'organization' | 'own';
  /** Null: nobody knows, as of the settings. */
  createdAt: Date | null;
}

/** A model that staff registered for everybody. */
export interface SharedModel {
  endpoint: Endpoint;
  isDefault: boolean;
  createdAt: Date;
}

/** All models that everybody may use. */
export interface ModelSet {
  /** Who answers where nobody chose. */
  preset: LanguageModel;
  /** The chat and vision models. */
  answering: readonly LanguageModel[];
  /** All of them: those of the configuration first, in its order. */
  listed: readonly ListedModel[];
}

/**
 * The language models that everybody may use: those of the settings, and those that staff registered. Where there is none,
 * the embedded quoting model has the id 1.
 */
export class LanguageModels {
  private set: ModelSet;
  private byId: ReadonlyMap<number, LanguageModel>;

  /** @param compose the models of the settings and those that were registered */
  constructor(private readonly compose: (registered: readonly SharedModel[]) => ModelSet) {
    this.set = compose([]);
    this.byId = byIdOf(this.set);
  }

  /** What staff registered, in order. Calls that are at work end as they would. */
  useRegistered(registered: readonly SharedModel[]): void {
    this.set = this.compose(registered);
    this.byId = byIdOf(this.set);
  }

  /** Who answers where nobody chose. */
  get default(): LanguageModel {
    return this.set.preset;
  }

  /** Whether there is one at all; without, answers are made by quoting (docs/contract/search.md#without-a-model). */
  get available(): boolean {
    return this.default.available;
  }

  /** Another list whenever something changed. */
  list(): readonly ListedModel[] {
    return this.set.listed;
  }

  /** @param id of GET /users/models/ @returns null for an id that answers nothing */
  find(id: number): LanguageModel | null {
    return this.byId.get(id) ?? null;
  }

  /** @param id null or undefined: the default model @throws NotFoundError `model_not_found` */
  get(id: number | null | undefined): LanguageModel {
    const model = id === null || id === undefined ? this.default : this.find(id);
    if (!model) throw modelNotFound();
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

export function modelNotFound(): NotFoundError {
  return new NotFoundError('There is no such model.', { code: 'model_not_found' });
}

function byIdOf({ answering }: ModelSet): ReadonlyMap<number, LanguageModel> {
  return new Map(answering.map((model) => [model.descriptor.id, model]));
}
