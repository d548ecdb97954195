import type { AppConfig } from '@app/config';

export interface SemanticSearchSettings {
  trashRetentionDays: number;
  /** In which text can be recognised: Tesseract codes. */
  ocrLanguages: string[];
}

export const SEMANTIC_SEARCH_SETTINGS = Symbol('SEMANTIC_SEARCH_SETTINGS');

export function toSemanticSearchSettings({ indexing }: AppConfig): SemanticSearchSettings {
  return {
    trashRetentionDays: indexing.trashRetentionDays,
    ocrLanguages: indexing.ocrLanguages,
  };
}
