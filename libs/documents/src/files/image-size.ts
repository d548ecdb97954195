/** Most pixels an image may have: decoding more costs hundreds of megabytes. */
export const MAX_IMAGE_PIXELS = 50_000_000;

export interface ImageSize {
  width: number;
  height: number;
}

/**
 * Width and height read from an image's header, without decoding it; null when the header is not
 * one of PNG, GIF, JPEG, WebP, BMP or is cut off. `head` is the beginning of the file (64 KB is
 * plenty, except that a JPEG may carry a long preview before its frame header). For TIFF: `readTiffSizes`.
 */
export function readImageSize(head: Buffer): ImageSize | null {
  if (head.length < 26) return null;
  if (head.readUInt32BE(0) === 0x89504e47) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  if (head.toString('latin1', 0, 3) === 'GIF') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(head);
  if (head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  if (head.toString('latin1', 0, 2) === 'BM') return bmpSize(head);
  return null;
}

function jpegSize(head: Buffer): ImageSize | null {
  let at = 2;
  while (at + 9 < head.length) {
    if (head[at] !== 0xff) return null;
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // Frame headers are C0 to CF, except the tables C4, C8 and CC that lie between them.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    }
    at += 2 + head.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(head: Buffer): ImageSize | null {
  if (head.length < 30) return null;
  const chunk = head.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) };
  if (chunk === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return null;
  const bits = head.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function bmpSize(head: Buffer): ImageSize {
  // The oldest header has two bytes for each; a negative height says that the rows run from the top.
  if (head.readUInt32LE(14) === 12) return { width: head.readUInt16LE(18), height: head.readUInt16LE(20) };
  return { width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) };
}
