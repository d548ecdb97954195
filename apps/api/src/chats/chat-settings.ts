import type { AppConfig } from '@app/config';

export const CHAT_SETTINGS = Symbol('CHAT_SETTINGS');

export interface ChatSettings {
  /** So long a turn goes on without followers whose client may come back. */
  graceSeconds: number;
  /** So long a call waits for the first word of its answer, or for all of one that comes whole. */
  waitSeconds: number;
}

export function toChatSettings({ turns }: AppConfig): ChatSettings {
  return { graceSeconds: turns.graceSeconds, waitSeconds: turns.waitSeconds };
}
