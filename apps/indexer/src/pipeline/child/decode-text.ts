import { isUtf8 } from 'node:buffer';
import { detectUtf16, guessLegacyEncoding } from '@app/documents/kit';
import { evidenceOf } from './encodings/evidence.js';

/** A label that `TextDecoder` knows. */
export type TextEncoding = string;

/** More than this is not looked at: what is not UTF-8 by then shows in the evidence. */
const SAMPLE_BYTES = 1024 * 1024;
/** How ISO-2022-JP, which is all ASCII by its bytes, begins a run of Japanese. */
const JAPANESE_SHIFTS = ['\u001b$B', '\u001b$@'];

/**
 * Byte order mark, else UTF-8 when it is valid, else UTF-16 by its NULs, else the old encoding in which the text
 * makes most sense; Windows-1252 when nothing speaks for another.
 * @param cutOff `bytes` is only the beginning and may end within a character
 */
export function detectEncoding(bytes: Buffer, cutOff = false): TextEncoding {
  const marked = detectMark(bytes) ?? detectUtf16(bytes.subarray(0, SAMPLE_BYTES));
  if (marked !== null) return marked;
  if (JAPANESE_SHIFTS.some((shift) => bytes.subarray(0, SAMPLE_BYTES).includes(shift))) return 'iso-2022-jp';
  return beginsAsUtf8(bytes, cutOff) ? 'utf-8' : guessLegacyEncoding(evidenceOf([bytes]));
}

export function decodeText(bytes: Buffer): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

/** HTML may name its encoding; valid UTF-8 and byte order marks say more than a declaration that was copied along. */
export function decodeHtml(bytes: Buffer): string {
  const declared = /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(
    bytes.toString('latin1', 0, 4_096),
  )?.[1];
  const label = knownLabel(declared);
  const trusted = label !== null && !/^utf-?(?:8|16)/.test(label);
  const detected = detectMark(bytes) ?? (beginsAsUtf8(bytes, false) ? 'utf-8' : null);
  return new TextDecoder(detected ?? (trusted ? label : detectEncoding(bytes))).decode(bytes);
}

/** XML says its encoding itself: by its byte order mark, by its declaration, else it is UTF-8. */
export function decodeXml(bytes: Buffer): string {
  const utf16 = bytes[0] === 0 ? 'utf-16be' : bytes[1] === 0 ? 'utf-16le' : null;
  const marked = detectMark(bytes) ?? utf16;
  const declared = /^[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(bytes.toString('latin1', 0, 200))?.[1];
  return new TextDecoder(marked ?? knownLabel(declared) ?? 'utf-8').decode(bytes);
}

/** Decodes by a label that a file or message names, else by what its bytes look like. */
export function decodeLabelled(bytes: Buffer, label: string | undefined): string {
  return new TextDecoder(knownLabel(label) ?? detectEncoding(bytes)).decode(bytes);
}

export function detectMark(bytes: Buffer): TextEncoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : null;
}

/** @returns the canonical name of a label, null for one that nobody knows */
export function knownLabel(label: string | undefined): TextEncoding | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A sample may end within a character, of which up to three bytes are then there. */
function beginsAsUtf8(sample: Buffer, cutOff: boolean): boolean {
  const tails = cutOff ? [0, 1, 2, 3] : [0];
  return tails.some((tail) => isUtf8(sample.subarray(0, sample.length - tail)));
}
