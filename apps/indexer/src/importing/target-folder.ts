import { normalizeFolder, sanitizeFilename } from '@app/documents';
import { ValidationError } from '@app/common';

/** Below the source's folder as deep as in the source; what is too long for a folder goes as deep as it can. */
export function targetFolder(base: string, path: string): string {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .map(sanitizeFilename);
  for (let depth = segments.length; depth > 0; depth -= 1) {
    try {
      return normalizeFolder([base, ...segments.slice(0, depth)].join('/'));
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
    }
  }
  return base;
}
