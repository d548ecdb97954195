import { join } from 'node:path';
import type { AppConfig } from '@app/config';

export interface SemanticSearchSettings {
  maxUploadBytes: number;
  /** Folder for uploads under way; on the disk of the storage, which is sized for them. */
  incomingFolder: string;
  trashRetentionDays: number;
}

export const SEMANTIC_SEARCH_SETTINGS = Symbol('SEMANTIC_SEARCH_SETTINGS');

export function toSemanticSearchSettings({ storage, indexing }: AppConfig): SemanticSearchSettings {
  return {
    maxUploadBytes: storage.maxUploadBytes,
    incomingFolder: join(storage.folder, '.uploads'),
    trashRetentionDays: indexing.trashRetentionDays,
  };
}
