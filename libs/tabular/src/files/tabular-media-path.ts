import { isUuid } from '@app/common';

const PREFIX = '/media/tables/';

/** The media path of an uploaded table file, percent-encoded, without a signature. */
export function tabularMediaPath(uid: string, filename: string): string {
  return `${PREFIX}${uid}/${encodeURIComponent(filename)}`;
}

/** Which table file a media path names, whatever its file name; null when it names none. `/media/` may be missing. */
export function findTabularUidInPath(path: string): string | null {
  const [media, tables, uid, name, ...rest] = `/media/${path.replace(/^\/?(media\/)?/, '')}`.slice(1).split('/');
  if (media !== 'media' || tables !== 'tables' || name === undefined || rest.length > 0) return null;
  return isUuid(uid) ? uid.toLowerCase() : null;
}

/** Where the uploaded bytes lie in the file storage. */
export const tabularUploadKey = (uid: string): string => `tables/${uid.slice(0, 2)}/${uid}`;

/** Where the database lies that the claim with this fence builds: no two claims write the same file. */
export const tabularDatabaseKey = (uid: string, fence: number): string =>
  `tables/${uid.slice(0, 2)}/${uid}-${fence}.duckdb`;
