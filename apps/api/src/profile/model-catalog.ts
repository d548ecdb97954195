import { LanguageModel } from '@app/integrations';
import { Injectable } from '@nestjs/common';

export interface ModelEntry {
  id: number;
  name: string;
  value: string;
  provider: string | null;
  capability: string;
  description: string | null;
  details: string[];
  onPremises: boolean;
  createdAt: Date;
}

/** What new accounts start with: the first model of the deployment. */
export const DEFAULT_MODEL_ID = 1;
/** Models come from the settings, which have no date of their own. */
const SINCE = new Date('2026-01-01T00:00:00Z');

/** The language models of this deployment (document 3, B14): the configured one, or the embedded quoting model. */
@Injectable()
export class ModelCatalog {
  private readonly entries: readonly ModelEntry[];

  constructor(model: LanguageModel) {
    const { name, value, provider, capability, onPremises } = model.descriptor;
    const description = model.available
      ? null
      : 'Answers with the best passages of your own documents, word for word, each with its citation.';
    this.entries = [
      {
        id: DEFAULT_MODEL_ID,
        name,
        value,
        provider,
        capability,
        description,
        details: [],
        onPremises,
        createdAt: SINCE,
      },
    ];
  }

  list(): readonly ModelEntry[] {
    return this.entries;
  }

  find(id: number | null): ModelEntry | null {
    return this.entries.find((entry) => entry.id === id) ?? null;
  }
}
