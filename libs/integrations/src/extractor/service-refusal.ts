import {
  BadGatewayError,
  ConflictError,
  cutText,
  type DomainError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
} from '@app/common';

const LONGEST = 500;

/**
 * What a status of the service means to its caller. Its 401 is about our key, and must not sign anybody out; and whatever
 * is no plain refusal is a failure of the service.
 * @param text of the body, as far as it was read
 */
export function toRefusal(status: number, text: string): DomainError {
  const said = messageIn(text);
  switch (status) {
    case 400:
    case 422:
      return new InvalidRequestError(said ?? 'The extractor refused the request.', { code: 'extractor_refused' });
    case 403:
      return new ForbiddenError(said ?? 'You do not have access to this table.', { code: 'table_forbidden' });
    case 404:
      return new NotFoundError(said ?? 'There is no such table.', { code: 'table_not_found' });
    case 409:
      return new ConflictError(said ?? 'The extractor refused the request.', { code: 'extractor_conflict' });
    case 413:
      return new PayloadTooLargeError(said ?? 'The extractor takes no more at a time.');
    default:
      return new BadGatewayError('The extractor failed.', {
        code: 'extractor_error',
        cause: new Error(`The extractor answered ${status}.`),
      });
  }
}

/** One line of text: whatever else it says is not passed on. */
function messageIn(text: string): string | null {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    const said = body?.detail ?? body?.error ?? body?.message;
    if (typeof said !== 'string') return null;
    const line = said.replaceAll(/\p{C}+/gu, ' ').trim();
    return line === '' ? null : cutText(line, LONGEST);
  } catch {
    return null;
  }
}
