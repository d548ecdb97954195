import type { ModelCapability } from '@app/config';
import type { ModelDescriptor } from '@app/integrations';
import { LanguageModels } from '@app/models';
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
}

/** Models come from the settings, which have no date of their own. */
const SINCE = new Date('2026-01-01T00:00:00Z');

/**
 * The language models of this deployment (docs/contract/search.md#without-a-model): the configured ones, or the
 * embedded quoting model.
 */
@Injectable()
export class ModelCatalog {
  private readonly entries: readonly ModelEntry[];

  constructor(private readonly models: LanguageModels) {
    this.entries = models.list().map((model) => {
      const { id, name, value, provider, capability, description, details, onPremises, contextWindow, supports } =
        model;
      const isDefault = id === models.default.descriptor.id;
      const known = {
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
      };
      return { ...known, isDefault, createdAt: SINCE };
    });
  }

  list(): readonly ModelEntry[] {
    return this.entries;
  }

  find(id: number | null): ModelEntry | null {
    return this.entries.find((entry) => entry.id === id) ?? null;
  }

  /** Whether it answers questions; embedding and image models are listed, too. */
  isAnswering(id: number): boolean {
    return this.models.find(id) !== null;
  }
}
