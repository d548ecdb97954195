import type { ModelCapability } from '@app/config';
import type { ModelDescriptor } from '@app/integrations';
import { LanguageModels, type ListedModel, ModelChoice } from '@app/models';
import { Injectable } from '@nestjs/common';

export interface ModelEntry {
  id: number;
  name: string;
  value: string;
  provider: string | null;
  capability: ModelCapability;
  description: string | null;
  details: readonly string[];
  onPremises: boolean;
  createdAt: Date;
  contextWindow: number | null;
  supports: ModelDescriptor['supports'];
  isDefault: boolean;
  source: ListedModel['source'];
}

/** Models come from the settings, which have no date of their own. */
const SINCE = new Date('2026-01-01T00:00:00Z');

/**
 * The language models as people choose them (docs/contract/search.md#without-a-model): those of the settings, or the
 * embedded quoting model, and those that were registered.
 */
@Injectable()
export class ModelCatalog {
  /** Of what everybody may use, by the list that they were made of. */
  private made: { of: readonly ListedModel[]; entries: ReadonlyMap<number, ModelEntry> } | null = null;

  constructor(
    private readonly models: LanguageModels,
    private readonly choice: ModelChoice,
  ) {}

  /** All that the person may choose. */
  async list(userId: number): Promise<ModelEntry[]> {
    const listed = await this.choice.list(userId);
    return listed.map((model) => this.toEntry(model));
  }

  /** Null for one that the person may not use. */
  async find(userId: number, id: number | null): Promise<ModelEntry | null> {
    if (id === null) return null;
    const shared = this.shared().get(id);
    if (shared) return shared;
    const own = await this.choice.find(userId, id);
    return own === null
      ? null
      : this.toEntry({ ...own.descriptor, description: null, details: [], source: 'own', createdAt: null });
  }

  /** Whether it answers this person's questions; embedding and image models are listed, too. */
  async isAnswering(userId: number, id: number): Promise<boolean> {
    return (await this.choice.find(userId, id)) !== null;
  }

  private shared(): ReadonlyMap<number, ModelEntry> {
    const of = this.models.list();
    if (this.made?.of !== of) this.made = { of, entries: new Map(of.map((model) => [model.id, this.toEntry(model)])) };
    return this.made.entries;
  }

  private toEntry(model: ListedModel): ModelEntry {
    const { id, name, value, provider, capability, description, details, onPremises, contextWindow, supports } = model;
    return {
      id,
      name,
      value,
      provider,
      capability,
      description,
      details,
      onPremises,
      contextWindow,
      supports,
      isDefault: id === this.models.default.descriptor.id,
      createdAt: model.createdAt ?? SINCE,
      source: model.source,
    };
  }
}
