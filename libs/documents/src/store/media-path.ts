import { isUuid } from '@app/common';

const PREFIX = '/media/';

/**
 * The media path of a document's file, percent-encoded, without a signature
 * (docs/contract/documents.md#the-document).
 */
export function documentMediaPath(uid: string, filename: string): string {
  return `${PREFIX}documents/${uid}/${encodeURIComponent(filename)}`;
}

/** Which document a media path names, whatever its file name; null when it names none. The prefix may be missing. */
export function findDocumentUidInPath(path: string): string | null {
  const relative = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path.replace(/^\//, '');
  const [domain, uid, ...rest] = relative.split('/');
  return domain === 'documents' && isUuid(uid) && rest.length === 1 ? uid.toLowerCase() : null;
}

/** Where a document's bytes lie in the file storage. */
export function documentStorageKey(uid: string): string {
  return `documents/${uid.slice(0, 2)}/${uid}`;
}
