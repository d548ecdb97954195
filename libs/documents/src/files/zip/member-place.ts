import { sanitizeFilename } from '../sanitize-filename.js';

export interface MemberPlace {
  /** Within the archive: cleaned names joined by one slash, '' at its top. */
  folder: string;
  /** Sanitised. */
  filename: string;
}

/** What systems and their archivers add for themselves: nobody means to upload it. */
const BY_SYSTEMS = /^(?:__MACOSX|\.DS_Store|Thumbs\.db|ehthumbs\.db|desktop\.ini|\._.*)$/i;
const ABSOLUTE = /^(?:[/\\]|[a-z]:)/i;

/**
 * Where a member of an archive goes. Names are cleaned as those of uploads are.
 * @param name as `decodeMemberNames` gives it
 * @returns null for a folder and for what nobody means to upload; `outside` for a path that leads out of the archive
 */
export function placeMember(name: string): MemberPlace | 'outside' | null {
  if (/[/\\]$/.test(name)) return null;
  const segments = name.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.');
  if (segments.length === 0 || segments.some((segment) => BY_SYSTEMS.test(segment))) return null;
  if (ABSOLUTE.test(name) || segments.some((segment) => segment.trim() === '..')) return 'outside';
  const names = segments.map(sanitizeFilename);
  return { folder: names.slice(0, -1).join('/'), filename: names.at(-1) ?? '' };
}
