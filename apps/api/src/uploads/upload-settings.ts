import { join } from 'node:path';
import type { AppConfig } from '@app/config';

export interface UploadSettings {
  /** Bytes of one file, where the route has no limit of its own. */
  maxUploadBytes: number;
  /** Folder for uploads under way; on the disk of the storage, which is sized for them. */
  incomingFolder: string;
}

export const UPLOAD_SETTINGS = Symbol('UPLOAD_SETTINGS');

export function toUploadSettings({ storage }: AppConfig): UploadSettings {
  return { maxUploadBytes: storage.maxUploadBytes, incomingFolder: join(storage.folder, '.uploads') };
}
