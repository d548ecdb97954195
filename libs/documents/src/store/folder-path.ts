import { hasHiddenCharacters, isVisible, ValidationError } from '@app/common';

/** Characters of a whole path. */
export const MAX_FOLDER_LENGTH = 1000;
// Controls and lone surrogates; Postgres stores no NUL.
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/**
 * A virtual folder as it is stored: segments joined by one slash, none before or after, '' for the root. Names that look
 * like others (marks of direction, invisible characters) are refused.
 * @throws ValidationError for `field`
 */
export function normalizeFolder(raw: string, field = 'folder'): string {
  const folder = findableFolder(raw, field);
  if (hasHiddenCharacters(folder)) throw refuse(field, 'Invisible characters and marks of direction are not allowed.');
  if (folder !== '' && !folder.split('/').every(isVisible))
    throw refuse(field, 'The name of a folder needs a character that can be seen.');
  return folder;
}

/**
 * The same for a folder that may be there already, to look into it, to rename or to remove it: one with such a name may
 * be older than the rule.
 * @throws ValidationError for `field`
 */
export function findableFolder(raw: string, field = 'folder'): string {
  if (UNSAFE.test(raw)) throw refuse(field, 'Control characters are not allowed.');
  const segments = raw
    .normalize('NFC')
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw refuse(field, 'The segments "." and ".." are not allowed.');
  const folder = segments.join('/');
  if (folder.length > MAX_FOLDER_LENGTH)
    throw refuse(field, `Ensure this field has no more than ${MAX_FOLDER_LENGTH} characters.`);
  return folder;
}

const refuse = (field: string, message: string) => new ValidationError({ [field]: [message] });
