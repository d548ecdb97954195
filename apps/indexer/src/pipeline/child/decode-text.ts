import { isUtf8 } from 'node:buffer';

/** Enough to tell an encoding by; the rest of a file follows its beginning. */
const SAMPLE_BYTES = 1024 * 1024;

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1256' | 'windows-1252';

/**
 * Byte order mark, else UTF-8 when it is valid, else one of the two old Windows code pages: text in
 * Arabic letters is 1256, where they stand side by side; in the languages of 1252 accents stand alone.
 * @param cutOff `bytes` is only the beginning and may end within a character
 */
export function detectEncoding(bytes: Buffer, cutOff = false): TextEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (beginsAsUtf8(sample, cutOff || bytes.length > SAMPLE_BYTES)) return 'utf-8';
  let high = 0;
  let besideAnother = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if ((sample[at] ?? 0) < 0xc0) continue;
    high += 1;
    if ((sample[at - 1] ?? 0) >= 0xc0 || (sample[at + 1] ?? 0) >= 0xc0) besideAnother += 1;
  }
  return besideAnother > high / 2 ? 'windows-1256' : 'windows-1252';
}

export function decodeText(bytes: Buffer): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

/** A sample may end within a character, of which up to three bytes are then there. */
function beginsAsUtf8(sample: Buffer, cutOff: boolean): boolean {
  const tails = cutOff ? [0, 1, 2, 3] : [0];
  return tails.some((tail) => isUtf8(sample.subarray(0, sample.length - tail)));
}
