import { ExtractionError } from '../../extraction-error.js';
import { decodeLabelled } from '../decode-text.js';
import { labelOf, type OutlookBody } from './outlook-body.js';

// `winmail.dat`, by [MS-OXTNEF]. The one package for it holds each byte as a number, copies what is left for each
// attribute, and knows neither long names nor messages that are attached.

const SIGNATURE = 0x223e9f78;
const OF_MESSAGE = 1;
const OF_ATTACHMENT = 2;
const MOST_ATTRIBUTES = 10_000;
const MOST_PROPERTIES = 10_000;
/** Messages that are attached to each other. */
const DEEPEST = 3;

const ATTRIBUTE = {
  codePage: 0x9007,
  properties: 0x9003,
  body: 0x800c,
  begins: 0x9002,
  title: 0x8010,
  data: 0x800f,
  attachment: 0x9005,
} as const;

const PROPERTY = {
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  codePage: 0x3fde,
  name: 0x3001,
  data: 0x3701,
  shortName: 0x3704,
  longName: 0x3707,
  mimeType: 0x370e,
  contentId: 0x3712,
} as const;

const STRING_8 = 0x1e;
const UNICODE = 0x1f;
const BINARY = 0x102;
const OBJECT = 0x0d;
const SEVERAL = 0x1000;
/** Bytes of a value, padded to four; all others have a length before them. */
const SIZES: Readonly<Record<number, number>> = {
  0x01: 0,
  0x02: 4,
  0x03: 4,
  0x04: 4,
  0x05: 8,
  0x06: 8,
  0x07: 8,
  0x0a: 4,
  0x0b: 4,
  0x14: 8,
  0x40: 8,
  0x48: 16,
};
/** The interface that stands before the data of an attached message. */
const INTERFACE_BYTES = 16;

export interface PackedFile {
  name: string;
  mimeType: string;
  /** '' without one. */
  contentId: string;
  /** A message that is attached has its own package instead. */
  bytes: Buffer;
  message: PackedMessage | null;
}

export interface PackedMessage {
  body: OutlookBody;
  files: PackedFile[];
  /** It ends in the middle: what came before is there. */
  isCut: boolean;
}

/** What Outlook packs into one file for others of its kind. @throws ExtractionError `damaged` */
export function readPackage(bytes: Buffer, depth = 0): PackedMessage {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE)
    throw new ExtractionError('damaged', 'It is no package of Outlook.');
  const message: PackedMessage = { body: {}, files: [], isCut: false };
  let codePage: number | undefined;
  let file: PackedFile | null = null;
  const text = (value: Buffer) => decodeLabelled(withoutEnd(value), labelOf(codePage));
  for (const { id, value } of attributesOf(bytes, message)) {
    if (id === ATTRIBUTE.codePage && value.length >= 4) codePage = value.readUInt32LE(0);
    else if (id === ATTRIBUTE.body) message.body.plain ??= text(value);
    else if (id === ATTRIBUTE.properties) readBody(message, propertiesOf(value, text), codePage);
    else if (id === ATTRIBUTE.begins) {
      file = { name: '', mimeType: '', contentId: '', bytes: Buffer.alloc(0), message: null };
      message.files.push(file);
    } else if (file && id === ATTRIBUTE.title) file.name ||= text(value);
    else if (file && id === ATTRIBUTE.data) file.bytes = value;
    else if (file && id === ATTRIBUTE.attachment) readFile(file, propertiesOf(value, text), depth);
  }
  return message;
}

/** Level, id, type, length, value and a sum of each; what is cut short ends it. */
function* attributesOf(bytes: Buffer, message: PackedMessage): Generator<{ id: number; value: Buffer }> {
  let at = 6;
  for (let count = 0; at < bytes.length; count += 1) {
    const length = at + 9 <= bytes.length ? bytes.readUInt32LE(at + 5) : Number.POSITIVE_INFINITY;
    const end = at + 9 + length;
    const isOne = bytes[at] === OF_MESSAGE || bytes[at] === OF_ATTACHMENT;
    if (!isOne || end > bytes.length || count >= MOST_ATTRIBUTES) {
      message.isCut = true;
      return;
    }
    yield { id: bytes.readUInt16LE(at + 1), value: bytes.subarray(at + 9, end) };
    at = end + 2;
  }
}

type Value = string | number | Buffer;

/** Those that have one value. What makes no sense ends the list. */
function propertiesOf(bytes: Buffer, text: (value: Buffer) => string): Map<number, Value> {
  const found = new Map<number, Value>();
  const count = bytes.length >= 4 ? Math.min(bytes.readUInt32LE(0), MOST_PROPERTIES) : 0;
  let at = 4;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new RangeError('The list ends in the middle.');
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('The list ends in the middle.');
    const value = bytes.subarray(at, at + length);
    at += length + (-length & 3);
    return value;
  };
  try {
    for (let each = 0; each < count; each += 1) {
      const tag = number();
      const [type, id] = [tag & 0xffff, tag >>> 16];
      // One that is known by a name says of which set it is, and its number or name.
      if (id >= 0x8000) {
        take(16);
        if (number() === 0) number();
        else take(number());
      }
      const plain = type & ~SEVERAL;
      const size = SIZES[plain];
      const values = size === undefined || plain !== type ? number() : 1;
      if (values > MOST_PROPERTIES) break;
      for (let index = 0; index < values; index += 1) {
        const value = take(size ?? number());
        if (index > 0 || plain !== type) continue;
        if (plain === UNICODE) found.set(id, value.toString('utf16le').split('\0', 1)[0]!);
        else if (plain === STRING_8) found.set(id, text(value));
        else if (plain === BINARY || plain === OBJECT) found.set(id, value);
        else if (size === 4) found.set(id, value.readUInt32LE(0));
      }
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return found;
}

function readBody({ body }: PackedMessage, found: Map<number, Value>, oemCodePage: number | undefined): void {
  const [plain, html, rtf, codePage] = [PROPERTY.body, PROPERTY.html, PROPERTY.rtf, PROPERTY.codePage].map((id) =>
    found.get(id),
  );
  if (typeof plain === 'string') body.plain ??= plain;
  if (html !== undefined && typeof html !== 'number') body.html = html;
  if (Buffer.isBuffer(rtf)) body.rtf = rtf;
  body.codePage = typeof codePage === 'number' ? codePage : oemCodePage;
}

function readFile(file: PackedFile, found: Map<number, Value>, depth: number): void {
  const textOf = (id: number) => {
    const value = found.get(id);
    return typeof value === 'string' ? value.trim() : '';
  };
  file.name = textOf(PROPERTY.longName) || file.name || textOf(PROPERTY.shortName) || textOf(PROPERTY.name);
  file.mimeType = textOf(PROPERTY.mimeType).toLowerCase();
  file.contentId = textOf(PROPERTY.contentId);
  const data = found.get(PROPERTY.data);
  if (!Buffer.isBuffer(data)) return;
  const within = data.subarray(INTERFACE_BYTES);
  const isMessage = within.length >= 6 && within.readUInt32LE(0) === SIGNATURE;
  if (isMessage && depth < DEEPEST) file.message = readPackage(within, depth + 1);
  else if (file.bytes.length === 0) file.bytes = data;
}

function withoutEnd(value: Buffer): Buffer {
  const end = value.indexOf(0);
  return end === -1 ? value : value.subarray(0, end);
}
