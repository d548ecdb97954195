import { cutText } from '@app/common';

/** The author's code, as stack traces name it. */
export const FILE_NAME = 'code.js';

const MAX_MESSAGE_LENGTH = 500;
const PLACE = /code\.js:(\d+)(?::(\d+))?/;

/** What was thrown, in words, with the line of the author's code where it happened. */
export function describeFailure(thrown: unknown): { message: string; isMemory: boolean } {
  if (typeof thrown !== 'object' || thrown === null) {
    return { message: cutText(`Thrown: ${String(thrown)}`, MAX_MESSAGE_LENGTH), isMemory: thrown === null };
  }
  const { name, message, stack } = thrown as { name?: unknown; message?: unknown; stack?: unknown };
  if (typeof message !== 'string') {
    return { message: cutText(`Thrown: ${toText(thrown)}`, MAX_MESSAGE_LENGTH), isMemory: false };
  }
  const place = typeof stack === 'string' ? PLACE.exec(stack) : null;
  const kind = typeof name === 'string' && name !== '' ? `${name}: ` : '';
  return {
    message: cutText(`${kind}${message}`, MAX_MESSAGE_LENGTH) + (place ? ` (line ${place[1]})` : ''),
    isMemory: name === 'InternalError' && message === 'out of memory',
  };
}

function toText(value: object): string {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'an object';
  }
}
