import { join } from 'node:path';
import type { AppConfig } from '@app/config';

export interface ImportingSettings {
  /** Shows in `leased_by`. */
  workerName: string;
  leaseSeconds: number;
  heartbeatSeconds: number;
  sweepSeconds: number;
  maxFileBytes: number;
  trashRetentionDays: number;
  /** For downloads under way; on the disk of the storage, which is sized for them. */
  downloadFolder: string;
}

export const IMPORTING_SETTINGS = Symbol('IMPORTING_SETTINGS');

export function toImportingSettings({ indexing, leases, storage }: AppConfig, workerName: string): ImportingSettings {
  const { leaseSeconds, heartbeatSeconds, sweepSeconds } = leases;
  return {
    workerName,
    leaseSeconds,
    heartbeatSeconds,
    sweepSeconds,
    maxFileBytes: storage.maxUploadBytes,
    trashRetentionDays: indexing.trashRetentionDays,
    downloadFolder: join(storage.folder, '.imports'),
  };
}
