import { join, resolve } from 'node:path';
import type { AppConfig } from '@app/config';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './import-limits.js';

export interface ImportSettings {
  /** The compiled program of the importing process. */
  entry: string;
  /** For work under way; on the disk of the storage, which is sized for it. Absolute. */
  folder: string;
  limits: ImportLimits;
}

export const IMPORT_SETTINGS = Symbol('IMPORT_SETTINGS');

export function toImportSettings({ storage, indexing }: AppConfig, process: { importEntry: string }): ImportSettings {
  return {
    entry: process.importEntry,
    folder: join(resolve(storage.folder), '.imports'),
    limits: { ...DEFAULT_IMPORT_LIMITS, totalMs: indexing.extractionTimeoutSeconds * 1000 },
  };
}
