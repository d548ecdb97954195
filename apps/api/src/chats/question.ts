import { InvalidRequestError, ValidationError } from '@app/common';

const MAX_LENGTH = 100_000;

/**
 * The question of a chat's body, whose `message` any value may be.
 * @throws InvalidRequestError `message_required`, ValidationError
 */
export function questionOf(message: unknown): string {
  if (message === undefined || message === null || (typeof message === 'string' && message.trim() === ''))
    throw new InvalidRequestError('A message is required.', { code: 'message_required' });
  if (typeof message !== 'string') throw new ValidationError({ message: ['Not a valid string.'] });
  if (message.length > MAX_LENGTH)
    throw new ValidationError({ message: [`Ensure this field has no more than ${MAX_LENGTH} characters.`] });
  // Postgres cannot keep it.
  return message.replaceAll('\0', '').trim();
}
