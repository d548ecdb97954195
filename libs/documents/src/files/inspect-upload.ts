import { fileTypeFromBuffer } from 'file-type';
import { inspectArchive } from './archive-limits.js';
import { detectUtf16 } from './detect-utf16.js';
import { SUPPORTED_EXTENSIONS, extensionOf, findKindByFilename } from './file-kinds.js';
import type { FileKind, FileKindDefinition } from './file-kinds.js';
import { MAX_IMAGE_PIXELS, readImageSize } from './image-size.js';
import type { ImageSize } from './image-size.js';
import { readHead } from './read-head.js';
import { scanBytes } from './scan-bytes.js';
import type { ByteScan } from './scan-bytes.js';
import { readTiffSizes } from './tiff-directories.js';
import { UploadRejectedError } from './upload-rejected.error.js';

const OLE_MAGIC = 'd0cf11e0a1b11ae1';
const PASSWORD = 'This file is protected by a password. Remove the protection and upload it again.';

export interface UploadToInspect {
  /** Where the received bytes lie. */
  path: string;
  /** The name the uploader gave it; only its extension counts here. */
  filename: string;
  sizeBytes: number;
}

export interface InspectedUpload {
  kind: FileKind;
  /** Canonical for the kind; what the browser claimed is not looked at. */
  mimeType: string;
}

/**
 * Decides what an uploaded file is, by its name and by its bytes, which must agree
 * (docs/contract/reliability.md#uploads).
 * Reads the file once; opens no document parser.
 * @throws UploadRejectedError whose `reasons` can be shown to the uploader
 */
export async function inspectUpload(upload: UploadToInspect): Promise<InspectedUpload> {
  const kind = getKindByFilename(upload.filename);
  if (upload.sizeBytes === 0) throw new UploadRejectedError(['The file is empty.']);
  const head = await readHead(upload.path);
  if (head.length === 0) throw new UploadRejectedError(['The file is empty.']);
  const scan = await scanBytes(upload.path);
  if (scan.hasEicar)
    throw new UploadRejectedError(['A virus was found in the file: EICAR test file.'], { code: 'upload_blocked' });
  await checkContent(kind, upload.path, head, scan);
  return { kind: kind.id, mimeType: kind.mimeTypes[0] };
}

/** What a name promises, before there are bytes. @throws UploadRejectedError when it is nothing that we read */
export function getKindByFilename(filename: string): FileKindDefinition {
  const kind = findKindByFilename(filename);
  if (kind === null) throw new UploadRejectedError([unsupportedReason(filename)]);
  return kind;
}

async function checkContent(kind: FileKindDefinition, path: string, head: Buffer, scan: ByteScan): Promise<void> {
  switch (kind.container) {
    case 'pdf':
      return checkPdf(kind, head, scan);
    case 'office-open-xml':
    case 'open-document':
      return checkZipped(kind, path, head, scan);
    case 'ole':
      return checkOle(kind, head, scan);
    case 'rtf':
      return head.toString('latin1', 0, 5) === '{\\rtf' ? undefined : disagree(kind, head);
    case 'image':
      return checkImage(kind, path, head);
    case 'email':
      return checkEmail(kind, head, scan);
    case 'text':
      return checkText(kind, head, scan);
  }
}

async function checkPdf(kind: FileKindDefinition, head: Buffer, scan: ByteScan): Promise<void> {
  // Readers accept a header within the first kilobyte; so do polyglots that begin as something else.
  if (!/^(?:\xef\xbb\xbf)?\s{0,64}%PDF-\d/.test(head.toString('latin1', 0, 128))) await disagree(kind, head);
  if (!scan.hasPdfObject) {
    throw new UploadRejectedError(['This is not a PDF file: it only begins like one.']);
  }
  if (scan.lastZipEnd > scan.lastPdfEnd && scan.lastPdfEnd !== -1) {
    throw new UploadRejectedError(['The file is a PDF and an archive at once, which is not accepted.']);
  }
}

async function checkZipped(kind: FileKindDefinition, path: string, head: Buffer, scan: ByteScan): Promise<void> {
  // Word and Excel wrap a document with a password into the old OLE format.
  if (isOle(head) && scan.oleStreams.has('EncryptedPackage')) throw new UploadRejectedError([PASSWORD]);
  if (head.length < 4 || head.readUInt32BE(0) !== 0x504b0304) await disagree(kind, head);
  const contents = await inspectArchive(path);
  const marks = kind.marks ?? [];
  const agrees =
    kind.container === 'open-document'
      ? marks.includes(contents.mimetype ?? '')
      : contents.names.includes('[Content_Types].xml') &&
        contents.names.some((name) => marks.some((mark) => name.startsWith(mark)));
  if (!agrees) throw new UploadRejectedError([`This is a zip archive, not ${withArticle(kind.name)}.`]);
}

async function checkOle(kind: FileKindDefinition, head: Buffer, scan: ByteScan): Promise<void> {
  if (isOle(head)) {
    if (kind.id === 'ppt' && scan.oleStreams.has('EncryptedSummary')) throw new UploadRejectedError([PASSWORD]);
    if (kind.marks?.some((mark) => scan.oleStreams.has(mark))) return;
    if (scan.oleStreams.has('EncryptedPackage')) throw new UploadRejectedError([PASSWORD]);
  }
  // Excel before version 5 wrote its records without any wrapping: a BOF record comes first.
  if (kind.id === 'xls' && head[0] === 0x09 && [0, 2, 4].includes(head[1] ?? -1) && scan.hasNul) return;
  await disagree(kind, head);
}

async function checkImage(kind: FileKindDefinition, path: string, head: Buffer): Promise<void> {
  if (kind.id === 'tiff') return checkTiff(kind, path, head);
  const found = await fileTypeFromBuffer(head);
  const mimeType = found?.mime === 'image/apng' ? 'image/png' : found?.mime;
  if (mimeType === undefined || !kind.mimeTypes.includes(mimeType)) await disagree(kind, head);
  checkSize(readImageSize(head));
}

/** Its directories may stand anywhere, mostly at the end, where a look at the beginning does not find them. */
async function checkTiff(kind: FileKindDefinition, path: string, head: Buffer): Promise<void> {
  if (!['49492a00', '4d4d002a', '49492b00', '4d4d002b'].includes(head.toString('hex', 0, 4)))
    await disagree(kind, head);
  const sizes = await readTiffSizes(path);
  if (sizes === null) throw new UploadRejectedError(['This TIFF image is damaged: its pages cannot be found.']);
  for (const size of sizes) checkSize(size);
}

function checkSize(size: ImageSize | null): void {
  if (size !== null && size.width * size.height > MAX_IMAGE_PIXELS) {
    throw new UploadRejectedError([
      `The image is too large: ${size.width} x ${size.height} pixels. At most 50 million pixels are accepted.`,
    ]);
  }
}

async function checkText(kind: FileKindDefinition, head: Buffer, scan: ByteScan): Promise<void> {
  // UTF-16 is full of NULs; its byte order mark tells it from a binary file, or the places of its NULs.
  const isUtf16 = head.length >= 2 && [0xfeff, 0xfffe].includes(head.readUInt16BE(0));
  if (isUtf16 || detectUtf16(head) !== null) return;
  // File signatures are not asked first: a text that begins with "BM" or "MZ" is still a text.
  if (scan.hasNul || scan.controlShare > 0.02) await disagree(kind, head);
  // Both can be written without a sign that no text has, and are read as the text between their commands by nobody.
  const written = head.toString('latin1', 0, 128);
  if ((/^%PDF-\d/.test(written) && scan.hasPdfObject) || written.startsWith('{\\rtf1')) await disagree(kind, head);
  const start = TEXT_STARTS[kind.id];
  if (start !== undefined && !start.test(head.toString('latin1', 0, 4_096))) await disagree(kind, head);
}

/** How the text of some kinds begins, behind a byte order mark and blanks. */
const TEXT_STARTS: Partial<Record<FileKind, RegExp>> = {
  xml: /^(?:\xef\xbb\xbf)?\s*</,
  json: /^(?:\xef\xbb\xbf)?\s*(?:[[{"\d-]|true|false|null)/,
  ics: /^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR/i,
};

/** A message begins with its headers (RFC 5322), perhaps after the separator line of a mailbox file. */
async function checkEmail(kind: FileKindDefinition, head: Buffer, scan: ByteScan): Promise<void> {
  const start = head.toString('latin1').replace(/^(?:\xef\xbb\xbf)?[\r\n]*(?:From [^\r\n]*\r?\n)?/, '');
  const headers = /^[\s\S]*?(?=\r?\n\r?\n|$)/.exec(start.slice(0, 64 * 1024))?.[0] ?? '';
  const known = /^(?:From|To|Date|Subject|Sender|Received|Message-ID|Return-Path|Delivered-To|MIME-Version):/im;
  if (!/^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(start) || !known.test(headers) || scan.hasNul || scan.controlShare > 0.02)
    await disagree(kind, head);
}

async function disagree(kind: FileKindDefinition, head: Buffer): Promise<never> {
  const found = await fileTypeFromBuffer(head);
  const seen = isOle(head) ? 'doc, xls, ppt or msg' : found?.ext;
  const looksLike =
    seen !== undefined && !(kind.extensions as readonly string[]).includes(seen)
      ? ` Its content looks like ${seen.toUpperCase().replaceAll(' OR ', ' or ')}.`
      : ' Its content does not match its name.';
  throw new UploadRejectedError([`This is not ${withArticle(kind.name)}.${looksLike}`]);
}

function unsupportedReason(filename: string): string {
  const extension = extensionOf(filename);
  const what = extension === '' ? 'Files without an extension' : `Files of type ".${extension}"`;
  return `${what} are not supported. Supported are: ${SUPPORTED_EXTENSIONS.join(', ')}.`;
}

function withArticle(name: string): string {
  return `${/^[aeiou]|^(?:HTML|RTF|XML)/i.test(name) ? 'an' : 'a'} ${name}`;
}

function isOle(head: Buffer): boolean {
  return head.toString('hex', 0, 8) === OLE_MAGIC;
}
