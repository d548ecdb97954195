import { ValidationError } from '@app/common';

const MOST_MESSAGES = 400;
const MOST_CHARACTERS = 1_000_000;

export interface HistoryMessage {
  role: 'user' | 'assistant';
  content: string;
}

/**
 * What a client decrypted for one call: of `encrypted`, which any value may be.
 * @returns null where the call is not encrypted
 * @throws ValidationError
 */
export function encryptedHistoryOf(encrypted: unknown): HistoryMessage[] | null {
  if (encrypted === undefined || encrypted === null || encrypted === false) return null;
  if (encrypted === true) return [];
  if (typeof encrypted !== 'object' || Array.isArray(encrypted)) throw refused('Must be true, or an object.');
  const history = 'history' in encrypted ? encrypted.history : [];
  if (!Array.isArray(history) || !history.every(isMessage))
    throw refused('history must be a list of {role: user|assistant, content}.');
  if (history.length > MOST_MESSAGES) throw refused(`history may have at most ${MOST_MESSAGES} messages.`);
  const characters = history.reduce((sum, { content }) => sum + content.length, 0);
  if (characters > MOST_CHARACTERS) throw refused(`history may have at most ${MOST_CHARACTERS} characters.`);
  return history.map(({ role, content }) => ({ role, content }));
}

function isMessage(value: unknown): value is HistoryMessage {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value)) return false;
  return (value.role === 'user' || value.role === 'assistant') && typeof value.content === 'string';
}

function refused(message: string): ValidationError {
  return new ValidationError({ encrypted: [message] });
}
