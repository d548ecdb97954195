import { FILE_KINDS, findKindByFilename, sanitizeFilename } from '@app/documents';
import { parse } from 'content-disposition';

/**
 * What a fetched file is called: as its host says, else by the last part of its address, with the extension of its
 * media type when the name has none that we read.
 */
export function remoteFilename(url: string, headers: Readonly<Record<string, string | string[] | undefined>>): string {
  const name = sanitizeFilename(nameFromHeader(headers['content-disposition']) ?? nameFromAddress(url));
  if (findKindByFilename(name)) return name;
  const mediaType = String(headers['content-type'] ?? '')
    .split(';', 1)[0]!
    .trim()
    .toLowerCase();
  const kind = Object.values(FILE_KINDS).find(({ mimeTypes }) => (mimeTypes as readonly string[]).includes(mediaType));
  return kind ? sanitizeFilename(`${name}.${kind.extensions[0]}`) : name;
}

function nameFromHeader(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  try {
    const { filename } = parse(header).parameters;
    return typeof filename === 'string' && filename !== '' ? filename : null;
  } catch {
    // Hosts write whatever they like there.
    return null;
  }
}

function nameFromAddress(url: string): string {
  const segment =
    URL.parse(url)
      ?.pathname.split('/')
      .findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
