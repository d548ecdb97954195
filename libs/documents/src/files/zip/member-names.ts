import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { decodeLegacy } from '../encodings/dos-code-pages.js';
import { guessLegacyEncoding } from '../encodings/legacy-encodings.js';

/** Of an entry, as the archive has it. */
export interface RawName {
  bytes: Buffer;
  /** Bit 11 says UTF-8. */
  flags: number;
  extraFields: readonly { id: number; data: Buffer }[];
}

const UTF8_FLAG = 0x800;
const UNICODE_PATH = 0x7075;
/** More names tell no more about their encoding. */
const EVIDENCE_BYTES = 8 * 1024;

/**
 * Names as people see them. An entry may say that its name is UTF-8, or carry it once more as such; of all others of one
 * archive the encoding is found together: UTF-8 if they are valid, else the code page in which they make most sense,
 * which is the one of the first PCs (CP437) when nothing speaks for another.
 */
export function decodeMemberNames(names: readonly RawName[]): string[] {
  const told = names.map(toldName);
  const unknown = names.filter((_, n) => told[n] === null).map(({ bytes }) => bytes);
  const label = unknown.every((bytes) => isUtf8(bytes)) ? 'utf-8' : guessLegacyEncoding(evidenceOf(unknown), 'names');
  return names.map(({ bytes }, n) => told[n] ?? decodeLegacy(bytes, label));
}

function toldName({ bytes, flags, extraFields }: RawName): string | null {
  if ((flags & UTF8_FLAG) !== 0) return bytes.toString('utf8');
  const data = extraFields.find(({ id }) => id === UNICODE_PATH)?.data;
  // Its checksum is that of the name beside it: programs that know nothing of the field may have changed that one.
  if (!data || data.length < 6 || data[0] !== 1 || data.readUInt32LE(1) !== crc32(bytes)) return null;
  return data.toString('utf8', 5);
}

function evidenceOf(names: readonly Buffer[]): Buffer {
  const found: Buffer[] = [];
  let length = 0;
  for (const name of names) {
    if (length > EVIDENCE_BYTES) break;
    if (name.every((byte) => byte < 0x80)) continue;
    // Folders repeat before every file in them.
    if (found.some((known) => known.equals(name))) continue;
    found.push(name, Buffer.from('\n'));
    length += name.length;
  }
  return Buffer.concat(found);
}
