import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import PostalMime from 'postal-mime';
import type { Address, Attachment, Email } from 'postal-mime';
import { ExtractionError } from '../../extraction-error.js';
import { decodeLabelled, decodeText } from '../decode-text.js';
import type { EnclosedFile } from '../enclosed-file.js';
import {
  emitMail,
  headerLines,
  isDecoration,
  isPicture,
  peopleLine,
  shownWithin,
  type MailText,
} from '../mail-text.js';
import { normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { describeCalendar } from './calendar.js';
import { packedText } from './packed-text.js';
import { signedContent, withoutSignature } from './signed-content.js';
import { readPackage } from './tnef.js';
import { htmlToText } from '../html/html-text.js';

/** A message is read whole, its attachments too: mail servers stop at half of this. */
const MAX_BYTES = 50 * 1024 * 1024;
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024 };
/** Messages within messages: each is read as one of its own, by its own parts. */
const MAX_FORWARDED = 3;
/** Lines that may part a message: each part costs a hundred times its bytes. */
const MAX_DELIMITERS = 20_000;
const MAX_INVITATIONS = 20;
/** A plain text that is so much shorter than the page beside it only asks for a better mail program. */
const PLACEHOLDER_RATIO = 3;

/** A message as it was sent, then what is attached to it. */
export const parseEmail: Parser = async (request, sink) => {
  const { size } = await stat(request.path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'E-mails of more than 50 MB cannot be read.');
  const bytes = await readFile(request.path);
  if (countDelimiters(bytes) > MAX_DELIMITERS)
    throw new ExtractionError('too_large', 'The e-mail is made of too many parts to be read.');
  await emitMail(await readMessage(bytes), sink);
};

/** @param depth how many messages it is within */
async function readMessage(bytes: Buffer, depth = 0): Promise<MailText> {
  const email = await parseMessage(bytes);
  const own = bodyText(email, hasAlternatives(bytes)) || (email.attachments.length === 0 ? rawBody(bytes) : '');
  const within: MailText[] = [];
  const attached: Attachment[] = [];
  for (const attachment of email.attachments) {
    const message = depth < MAX_FORWARDED ? await messageWithin(attachment, depth + 1, own !== '') : null;
    if (message) within.push(message);
    else attached.push(attachment);
  }
  const invitations = invitationsOf(email);
  const messages = within.flatMap(({ headers, body }) => [headerLines(headers), body]);
  // As the sender wrote it: with the local time and the day of the week.
  const date = email.headers.find(({ key }) => key === 'date')?.value ?? '';
  return {
    headers: [
      ['From', addresses(email.from ? [email.from] : [])],
      ['To', addresses(email.to)],
      ['Cc', addresses(email.cc)],
      ['Date', date],
      ['Subject', email.subject ?? ''],
    ],
    subject: email.subject ?? '',
    body: [own, ...invitations.values(), ...messages].filter((part) => part !== '').join('\n\n'),
    attachments: [
      ...attached.map(({ filename }) => filename ?? ''),
      ...within.flatMap(({ attachments }) => attachments),
    ],
    files: [...filesOf(email, attached, invitations), ...within.flatMap(({ files }) => files)],
  };
}

/**
 * What is a message itself, and no file beside it; null for all else, and for what cannot be read so.
 * @param hasText whether the message around it says something, which Outlook packs once more
 */
async function messageWithin(attachment: Attachment, depth: number, hasText: boolean): Promise<MailText | null> {
  const bytes = () => bytesOf(attachment.content);
  if (isForwarded(attachment)) return readMessage(bytes(), depth);
  try {
    if (isPackage(attachment)) return await packedText(readPackage(bytes()), !hasText);
    if (isSignedMessage(attachment)) return await readMessage(signedContent(bytes()), depth);
  } catch (error) {
    // What is wrong with it is told where the attachments are read.
    if (!(error instanceof ExtractionError)) throw error;
  }
  return null;
}

/** @param invitations that are read already */
function filesOf(
  { html = '' }: Email,
  attached: readonly Attachment[],
  invitations: ReadonlyMap<Attachment, string>,
): EnclosedFile[] {
  const shown = shownWithin(html);
  return attached.flatMap((attachment) => {
    const { filename, mimeType, contentId = '', related = false, content } = attachment;
    const name = filename ?? (mimeType === 'message/rfc822' ? 'message' : '');
    const id = contentId.replace(/^<|>$/g, '');
    const file = {
      name,
      mimeType,
      bytes: () => checked(attachment, bytesOf(content)),
      isRead: invitations.has(attachment),
      isShown: isPicture({ name, mimeType }) && (related || shown.has(id)),
    };
    return isDecoration(file, { hasId: id !== '', size: sizeOf(content) }) ? [] : [withoutSignature(file)];
  });
}

/** Of what should have been read as a message, why it was not. @throws ExtractionError */
function checked(attachment: Attachment, bytes: Buffer): Buffer {
  if (isPackage(attachment)) readPackage(bytes);
  if (isSignedMessage(attachment)) signedContent(bytes);
  return bytes;
}

function sizeOf(content: Attachment['content']): number {
  return typeof content === 'string' ? content.length : content.byteLength;
}

/** A message that stands within the message, rather than in a file beside it. */
function isForwarded({ mimeType, disposition }: Attachment): boolean {
  return mimeType === 'message/rfc822' && disposition !== 'attachment';
}

/** Outlook packs what it sends to others of its kind into one file, which only they open. */
function isPackage({ filename, mimeType }: Attachment): boolean {
  return /^application\/(?:vnd\.)?ms-tnef$/.test(mimeType) || /^winmail\.dat$/i.test(filename ?? '');
}

/** Signed, or encrypted, in a way that leaves nothing readable to programs that know neither. */
function isSignedMessage({ filename, mimeType }: Attachment): boolean {
  return /^application\/(?:x-)?pkcs7-mime$/.test(mimeType) && (filename === null || /^smime\.p7m$/i.test(filename));
}

function bytesOf(content: Attachment['content']): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(content);
}

/** An invitation says when and where in a part of its own, which every mail program shows. */
function invitationsOf({ attachments }: Email): Map<Attachment, string> {
  const calendars = attachments.filter(({ mimeType }) => mimeType === 'text/calendar').slice(0, MAX_INVITATIONS);
  const described = new Map<Attachment, string>();
  for (const calendar of calendars) {
    try {
      described.set(calendar, describeCalendar(decodeText(bytesOf(calendar.content))));
    } catch (error) {
      // What is wrong with it is told where the attachments are read.
      if (!(error instanceof ExtractionError)) throw error;
    }
  }
  return described;
}

function countDelimiters(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf('\n--'); at !== -1; at = bytes.indexOf('\n--', at + 3)) count += 1;
  return count;
}

async function parseMessage(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(asUnicode(withoutSeparator(bytes)), { ...LIMITS, forceRfc822Attachments: true });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('Maximum ')) throw error;
    throw new ExtractionError(
      'too_large',
      'The e-mail is nested too deeply, or its headers are too long, to be read.',
      {
        cause: error,
      },
    );
  }
}

/** Mailbox files put "From sender date" before each message, which is no header. */
function withoutSeparator(bytes: Buffer): Buffer {
  const start = /^(?:\xef\xbb\xbf)?[\r\n]*(?:From [^\r\n]*\r?\n)?/.exec(bytes.toString('latin1', 0, 2_000));
  return bytes.subarray(start?.[0].length ?? 0);
}

/**
 * What a message does not name the encoding of is taken for UTF-8, and is something older as often as not. Headers are
 * written in that of the text then.
 */
function asUnicode(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return bytes;
  const declared = /\bcharset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(bytes.toString('latin1'))?.[1];
  if (declared === undefined) return Buffer.from(decodeText(bytes));
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, LIMITS.maxHeadersSize))?.index ?? 0;
  const headers = bytes.subarray(0, end);
  if (isUtf8(headers)) return bytes;
  const label = /^(?:utf-?8|us-ascii|ascii)$/i.test(declared) ? undefined : declared;
  return Buffer.concat([Buffer.from(decodeLabelled(headers, label)), bytes.subarray(end)]);
}

function addresses(list: readonly Address[] = []): string {
  return peopleLine(list.flatMap((entry) => entry.group ?? [entry]));
}

/** Whether a part is there twice, as a page and as plain text: what is read of a message stands before what is attached. */
function hasAlternatives(bytes: Buffer): boolean {
  return /^content-type:\s{0,20}multipart\/alternative/im.test(bytes.toString('latin1', 0, LIMITS.maxHeadersSize));
}

function bodyText({ text = '', html = '' }: Email, isThereTwice: boolean): string {
  const plain = normaliseText(text);
  if (html.trim() === '') return plain;
  const shown = shownText(html, plain !== '');
  // The plain text of a page with the footer of a list is made of its tags by the parser.
  if (!isThereTwice && shown !== '') return shown;
  return plain === '' || shown.length > plain.length * PLACEHOLDER_RATIO ? shown : plain;
}

/** A page that cannot be read is no loss beside a readable text. */
function shownText(html: string, dispensable: boolean): string {
  try {
    return htmlToText(html);
  } catch (error) {
    if (dispensable && error instanceof ExtractionError) return '';
    throw error;
  }
}

/** Of a message whose parts cannot be told apart: better with its markers than not at all. */
function rawBody(bytes: Buffer): string {
  const gap = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, LIMITS.maxHeadersSize));
  return gap ? normaliseText(decodeText(bytes.subarray(gap.index + gap[0].length))) : '';
}
