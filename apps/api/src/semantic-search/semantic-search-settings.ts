import type { AppConfig } from '@app/config';

export interface SemanticSearchSettings {
  trashRetentionDays: number;
}

export const SEMANTIC_SEARCH_SETTINGS = Symbol('SEMANTIC_SEARCH_SETTINGS');

export function toSemanticSearchSettings({ indexing }: AppConfig): SemanticSearchSettings {
  return {
    trashRetentionDays: indexing.trashRetentionDays,
  };
}
