import type { AppConfig } from '@app/config';

export const CHAT_SETTINGS = Symbol('CHAT_SETTINGS');

export interface ChatSettings {
  /** Seconds after which a model call has ended one way or another. */
  modelTimeoutSeconds: number;
}

export function toChatSettings(config: AppConfig): ChatSettings {
  return { modelTimeoutSeconds: config.languageModel.timeoutSeconds };
}
