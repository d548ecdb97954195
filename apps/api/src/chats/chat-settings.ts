import type { AppConfig } from '@app/config';

export const CHAT_SETTINGS = Symbol('CHAT_SETTINGS');

export interface ChatSettings {
  /** So long a turn goes on without followers whose client may come back. */
  graceSeconds: number;
}

export function toChatSettings({ turns }: AppConfig): ChatSettings {
  return { graceSeconds: turns.graceSeconds };
}
