import { MAX_IMAGE_PIXELS, readImageSize } from '@app/documents';

/** Of one picture that a model is shown. */
export const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/**
 * What a picture is by its bytes, whatever somebody says it is: one of those that endpoints take. Null for anything else,
 * for one without a size, and for one that only unpacks to something huge.
 */
export function pictureTypeOf(data: Buffer): string | null {
  if (data.length > MAX_PICTURE_BYTES) return null;
  const size = readImageSize(data);
  if (!size || size.width * size.height === 0 || size.width * size.height > MAX_IMAGE_PIXELS) return null;
  if (data.readUInt32BE(0) === 0x89504e47) return 'image/png';
  if (data.readUInt16BE(0) === 0xffd8) return 'image/jpeg';
  const [mark, form] = [data.toString('latin1', 0, 4), data.toString('latin1', 8, 12)];
  if (mark === 'GIF8') return 'image/gif';
  return mark === 'RIFF' && form === 'WEBP' ? 'image/webp' : null;
}
