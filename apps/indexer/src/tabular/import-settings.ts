import { join, resolve } from 'node:path';
import type { AppConfig } from '@app/config';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './import-limits.js';

export interface ImportSettings {
  /** The compiled program of the importing process. */
  entry: string;
  /** For work under way; on the disk of the storage, which is sized for it. Absolute. */
  folder: string;
  /** Shows in `leased_by` and in logs. */
  workerName: string;
  leaseSeconds: number;
  heartbeatSeconds: number;
  sweepSeconds: number;
  limits: ImportLimits;
}

export const IMPORT_SETTINGS = Symbol('IMPORT_SETTINGS');

export function toImportSettings(
  { storage, leases, indexing }: AppConfig,
  process: { workerName: string; importEntry: string },
): ImportSettings {
  const { leaseSeconds, heartbeatSeconds, sweepSeconds } = leases;
  return {
    entry: process.importEntry,
    folder: join(resolve(storage.folder), '.imports'),
    workerName: process.workerName,
    leaseSeconds,
    heartbeatSeconds,
    sweepSeconds,
    limits: { ...DEFAULT_IMPORT_LIMITS, totalMs: indexing.extractionTimeoutSeconds * 1000 },
  };
}
