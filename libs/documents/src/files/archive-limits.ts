import { finished } from 'node:stream/promises';
import yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { UploadRejectedError } from './upload-rejected.error.js';
import { entriesOf, opened, typeOf } from './zip/zip-entries.js';

const MB = 1024 * 1024;

/**
 * Limits of a zip-based office file (docs/contract/reliability.md#uploads), counted over the file and what is nested
 * in it.
 */
export const ARCHIVE_LIMITS = {
  entries: 10_000,
  totalBytes: 512 * MB,
  /** Uncompressed to compressed; looked at only above `ratioFromBytes`, small files may be very regular. */
  ratio: 100,
  ratioFromBytes: 10 * MB,
  /** An office file may embed others, which may not embed more. */
  nesting: 1,
  nestedBytes: 64 * MB,
} as const;

const NESTED_ARCHIVE = /\.(zip|jar|docx|docm|dotx|xlsx|xlsm|xlsb|pptx|pptm|ppsx|odt|ods|odp|odg|epub)$/i;

interface Budget {
  entries: number;
  bytes: number;
  compressedBytes: number;
}

export interface ArchiveContents {
  /** Names of the outer archive only. */
  names: readonly string[];
  /** Text of OpenDocument's `mimetype` entry. */
  mimetype: string | null;
}

/**
 * Lists a zip-based office file and checks it against `ARCHIVE_LIMITS` before any parser sees it.
 * With `inflate` every entry is also unpacked (to nowhere), because declared sizes can lie: yauzl
 * fails as soon as an entry yields more bytes than it declared.
 * @throws UploadRejectedError with a reason in plain words, also when the archive is damaged
 */
export async function inspectArchive(path: string, options: { inflate?: boolean } = {}): Promise<ArchiveContents> {
  const budget = { entries: 0, bytes: 0, compressedBytes: 0 };
  const zip = await opened((callback) => yauzl.open(path, { lazyEntries: true, autoClose: false }, callback)).catch(
    damaged,
  );
  return inspectZip(zip, budget, 0, options.inflate ?? false);
}

async function inspectZip(zip: ZipFile, budget: Budget, depth: number, inflate: boolean): Promise<ArchiveContents> {
  const names: string[] = [];
  const nested: Entry[] = [];
  let mimetype: string | null = null;
  try {
    budget.entries += zip.entryCount;
    if (budget.entries > ARCHIVE_LIMITS.entries) refuse(`it holds more than ${ARCHIVE_LIMITS.entries} parts`);
    for await (const entry of entriesOf(zip)) {
      names.push(entry.fileName);
      checkEntry(entry, budget);
      if (NESTED_ARCHIVE.test(entry.fileName)) nested.push(entry);
      if (entry.fileName === 'mimetype' && entry.uncompressedSize <= 256) {
        mimetype = (await readEntry(zip, entry)).toString('latin1').trim();
      } else if (inflate) {
        await readEntry(zip, entry, 'discard');
      }
    }
    if (nested.length > 0 && depth >= ARCHIVE_LIMITS.nesting) {
      refuse('it holds files inside files inside files');
    }
    for (const entry of nested) await inspectNested(zip, entry, budget, depth, inflate);
  } catch (error) {
    throw asRejection(error);
  } finally {
    zip.close();
  }
  return { names, mimetype };
}

async function inspectNested(
  zip: ZipFile,
  entry: Entry,
  budget: Budget,
  depth: number,
  inflate: boolean,
): Promise<void> {
  if (entry.uncompressedSize > ARCHIVE_LIMITS.nestedBytes) refuse('a file embedded in it is larger than 64 MB');
  const bytes = await readEntry(zip, entry);
  // Other things are embedded under such names too (old binary formats); they are never opened.
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== 0x504b0304) return;
  const inner = await opened((callback) => yauzl.fromBuffer(bytes, { lazyEntries: true }, callback)).catch(damaged);
  await inspectZip(inner, budget, depth + 1, inflate);
}

function checkEntry(entry: Entry, budget: Budget): void {
  if (entry.isEncrypted()) {
    throw new UploadRejectedError(['This file is protected by a password. Remove the protection and upload it again.']);
  }
  if (typeOf(entry) === 'link') refuse('it holds a symbolic link');
  budget.bytes += entry.uncompressedSize;
  budget.compressedBytes += entry.compressedSize;
  if (budget.bytes > ARCHIVE_LIMITS.totalBytes) refuse('it would unpack to more than 512 MB');
  const ratio = budget.bytes / Math.max(1, budget.compressedBytes);
  if (budget.bytes > ARCHIVE_LIMITS.ratioFromBytes && ratio > ARCHIVE_LIMITS.ratio) {
    refuse(`it would unpack to more than ${ARCHIVE_LIMITS.ratio} times its size`);
  }
}

function refuse(why: string): never {
  throw new UploadRejectedError([`This file cannot be opened safely: ${why}.`]);
}

function damaged(error: unknown): never {
  throw asRejection(error);
}

function asRejection(error: unknown): UploadRejectedError {
  if (error instanceof UploadRejectedError) return error;
  const message = error instanceof Error ? error.message : '';
  if (/relative path|absolute path|invalid characters/.test(message)) {
    return new UploadRejectedError(['This file cannot be opened safely: a part of it has a name outside the file.']);
  }
  if (/too many bytes/.test(message)) {
    return new UploadRejectedError(['This file cannot be opened safely: a part of it is larger than it declares.']);
  }
  return new UploadRejectedError(['This file is damaged: it cannot be unpacked.']);
}

async function readEntry(zip: ZipFile, entry: Entry, mode: 'keep' | 'discard' = 'keep'): Promise<Buffer> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, readable) => (error ? reject(error) : resolve(readable)));
  });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    if (mode === 'keep') chunks.push(chunk);
  });
  await finished(stream);
  return Buffer.concat(chunks);
}
