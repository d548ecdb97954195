import type { AppConfig } from '@app/config';

export interface SourcesSettings {
  trashRetentionDays: number;
}

export const SOURCES_SETTINGS = Symbol('SOURCES_SETTINGS');

export function toSourcesSettings({ indexing }: AppConfig): SourcesSettings {
  return { trashRetentionDays: indexing.trashRetentionDays };
}
