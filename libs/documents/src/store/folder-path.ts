import { ValidationError } from '@app/common';

/** Characters of a whole path. */
export const MAX_FOLDER_LENGTH = 1000;
// Controls and lone surrogates; Postgres stores no NUL.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * A virtual folder as it is stored: segments joined by one slash, none before or after, '' for the root.
 * @throws ValidationError for `field`
 */
export function normalizeFolder(raw: string, field = 'folder'): string {
  const refuse = (message: string) => new ValidationError({ [field]: [message] });
  if (UNSAFE.test(raw)) throw refuse('Control characters are not allowed.');
  const segments = raw
    .normalize('NFC')
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw refuse('The segments "." and ".." are not allowed.');
  const folder = segments.join('/');
  if (folder.length > MAX_FOLDER_LENGTH)
    throw refuse(`Ensure this field has no more than ${MAX_FOLDER_LENGTH} characters.`);
  return folder;
}
