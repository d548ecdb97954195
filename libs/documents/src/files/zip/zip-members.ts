import type { Entry, ZipFile } from 'yauzl';
import { extensionOf } from '../file-kinds.js';
import { getKindByFilename } from '../inspect-upload.js';
import { UploadRejectedError } from '../upload-rejected.error.js';
import { decodeMemberNames } from './member-names.js';
import { placeMember, type MemberPlace } from './member-place.js';
import { megabytes, RATIO_FROM_BYTES, type ZipBudget, type ZipLimits } from './zip-budget.js';
import { entriesOf, typeOf } from './zip-entries.js';

export interface ZipMember extends MemberPlace {
  /** Unpacked, as the archive says. */
  sizeBytes: number;
  /** Why it is not taken, in words for the uploader; null when it may be unpacked. */
  refusal: string | null;
  entry: Entry;
}

/** Folders and what systems add are entries, too; names, comments and extra fields are held for a while. */
const ENTRIES_PER_FILE = 10;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const STORED = 0;
const DEFLATED = 8;
const ARCHIVES = new Set(['zip', '7z', 'rar', 'tar', 'gz', 'tgz', 'bz2', 'xz', 'zst', 'jar']);

/**
 * The files that an archive says it holds, in its order.
 * @param size of the archive in bytes
 * @throws UploadRejectedError when it is empty, too much, or no archive of files; errors of yauzl when it is damaged
 */
export async function listMembers(zip: ZipFile, size: number, budget: ZipBudget): Promise<ZipMember[]> {
  const entries = await readEntries(zip, budget.limits);
  const names = decodeMemberNames(
    entries.map(({ fileName, generalPurposeBitFlag, extraFields }) => ({
      bytes: bytesOf(fileName),
      flags: generalPurposeBitFlag,
      extraFields,
    })),
  );
  if (names.includes('[Content_Types].xml') || names[0] === 'mimetype')
    throw new UploadRejectedError([
      'This is an Office document or a book, not a ZIP archive. Give it the extension of its kind.',
    ]);
  const members = entries.flatMap((entry, n) => memberOf(entry, names[n] ?? '', budget.limits));
  if (members.length === 0) throw new UploadRejectedError(['The archive holds no files.']);
  const wanted = members.filter(({ refusal }) => refusal === null);
  // Entries that share their bytes unpack to any size without much of a ratio.
  if (sum(wanted.map(({ entry }) => entry.compressedSize)) > size)
    throw new UploadRejectedError(['The archive cannot be opened safely: its files lie upon each other.']);
  budget.take(members.length, sum(wanted.map(({ sizeBytes }) => sizeBytes)));
  return members;
}

async function readEntries(zip: ZipFile, { files }: ZipLimits): Promise<Entry[]> {
  const tooMany = new UploadRejectedError([`The archive cannot be opened: at most ${files} files are accepted.`]);
  if (zip.entryCount > files * ENTRIES_PER_FILE) throw tooMany;
  const entries: Entry[] = [];
  let bytes = 0;
  for await (const entry of entriesOf(zip)) {
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > MAX_DIRECTORY_BYTES) throw tooMany;
    entries.push(entry);
  }
  return entries;
}

function memberOf(entry: Entry, name: string, limits: ZipLimits): ZipMember[] {
  const place = placeMember(name);
  if (place === null) return [];
  const outside = place === 'outside';
  const { folder, filename } = outside ? { folder: '', filename: name.split(/[/\\]/).at(-1) ?? '' } : place;
  const refusal = outside ? 'Its path leads out of the archive.' : refusalOf(entry, filename, limits);
  return [{ folder, filename, sizeBytes: entry.uncompressedSize, refusal, entry }];
}

function refusalOf(entry: Entry, filename: string, { fileBytes, ratio }: ZipLimits): string | null {
  const { compressedSize, uncompressedSize, compressionMethod } = entry;
  const type = typeOf(entry);
  if (type === 'link') return 'It is a link to another file, which is not followed.';
  if (type === 'other') return 'It is no file.';
  if (ARCHIVES.has(extensionOf(filename))) return 'Archives within an archive are not opened. Upload it by itself.';
  const unsupported = unsupportedReason(filename);
  if (unsupported !== null) return unsupported;
  if (entry.isEncrypted()) return 'It is protected by a password. Unpack the archive and upload the file itself.';
  if (![STORED, DEFLATED].includes(compressionMethod)) return 'It is packed in a way that cannot be read.';
  if (uncompressedSize > fileBytes) return `The file is too large: at most ${megabytes(fileBytes)} are accepted.`;
  if (uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * ratio)
    return `It cannot be unpacked safely: it would become more than ${ratio} times as large.`;
  return null;
}

function unsupportedReason(filename: string): string | null {
  try {
    getKindByFilename(filename);
    return null;
  } catch (error) {
    if (error instanceof UploadRejectedError) return error.message;
    throw error;
  }
}

/** With `decodeStrings: false` names are bytes, which the types do not know. */
function bytesOf(name: unknown): Buffer {
  return Buffer.isBuffer(name) ? name : Buffer.from(String(name));
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
