import { join } from 'node:path';
import type { AppConfig } from '@app/config';

export interface ImportingSettings {
  maxFileBytes: number;
  trashRetentionDays: number;
  /** For downloads under way; on the disk of the storage, which is sized for them. */
  downloadFolder: string;
}

export const IMPORTING_SETTINGS = Symbol('IMPORTING_SETTINGS');

export function toImportingSettings({ indexing, storage }: AppConfig): ImportingSettings {
  return {
    maxFileBytes: storage.maxUploadBytes,
    trashRetentionDays: indexing.trashRetentionDays,
    downloadFolder: join(storage.folder, '.imports'),
  };
}
