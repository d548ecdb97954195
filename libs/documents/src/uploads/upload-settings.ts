import { join } from 'node:path';
import type { AppConfig } from '@app/config';
import type { ZipLimits } from '../files/zip/zip-budget.js';

export interface UploadSettings {
  /** Bytes of one file, where the route has no limit of its own. */
  maxUploadBytes: number;
  /** Folder for uploads under way; on the disk of the storage, which is sized for them. */
  incomingFolder: string;
  /** Folder for uploads that may go on after a break; all replicas of the api have to see it. */
  resumableFolder: string;
  /** Of the ZIP archives of one request. */
  archives: ZipLimits;
  /** In which text can be recognised: Tesseract codes. */
  ocrLanguages: string[];
}

export const UPLOAD_SETTINGS = Symbol('UPLOAD_SETTINGS');

export function toUploadSettings({ storage, archives, indexing }: AppConfig): UploadSettings {
  const { folder, maxUploadBytes } = storage;
  return {
    maxUploadBytes,
    incomingFolder: join(folder, '.uploads'),
    resumableFolder: join(folder, '.resumable'),
    archives: { ...archives, fileBytes: maxUploadBytes },
    ocrLanguages: indexing.ocrLanguages,
  };
}
