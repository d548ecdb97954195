import type { AppConfig } from '@app/config';

export interface IndexerSettings {
  /** The compiled program of the reading process. */
  childEntry: string;
  /** The compiled program of the process that imports tables. */
  importEntry: string;
  concurrency: number;
  sweepSeconds: number;
  extractionTimeoutSeconds: number;
  /** Which documents with an index of an older pipeline are read again. */
  reindexOld: 'all' | 'text' | 'off';
  /** Tesseract codes, the likeliest first. */
  ocrLanguages: string[];
  /** Of an operator who installs languages beyond those that come along. */
  ocrDataFolder: string | null;
}

export const INDEXER_SETTINGS = Symbol('INDEXER_SETTINGS');

export function toIndexerSettings(
  { indexing, leases }: AppConfig,
  process: { childEntry: string; importEntry: string },
): IndexerSettings {
  const { concurrency, extractionTimeoutSeconds, reindexOld, ocrLanguages, ocrDataFolder } = indexing;
  const { sweepSeconds } = leases;
  return {
    ...process,
    concurrency,
    extractionTimeoutSeconds,
    reindexOld,
    ocrLanguages,
    ocrDataFolder: ocrDataFolder ?? null,
    sweepSeconds,
  };
}
