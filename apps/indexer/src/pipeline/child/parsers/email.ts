import { readFile, stat } from 'node:fs/promises';
import PostalMime from 'postal-mime';
import type { Address, Email } from 'postal-mime';
import { ExtractionError } from '../../extraction-error.js';
import { decodeText } from '../decode-text.js';
import { normaliseLine, normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { htmlToText } from '../html/html-text.js';
import { cutLongText } from '../cut-long-text.js';

/** A message is read whole, its attachments too: mail servers stop at half of this. */
const MAX_BYTES = 50 * 1024 * 1024;
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024, maxRfc822NestingDepth: 3 };
/** Lines that may part a message: each part costs a hundred times its bytes. */
const MAX_DELIMITERS = 20_000;
const MAX_NAMES = 100;
const MAX_LINE = 4_000;
/** A plain text that is so much shorter than the page beside it only asks for a better mail program. */
const PLACEHOLDER_RATIO = 3;

/**
 * A message: who, to whom, when and about what, then its text, then the names of what is attached. Attachments are not
 * read: whoever wants to search them uploads them.
 */
export const parseEmail: Parser = async (request, sink) => {
  const { size } = await stat(request.path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'E-mails of more than 50 MB cannot be read.');
  const bytes = await readFile(request.path);
  if (countDelimiters(bytes) > MAX_DELIMITERS)
    throw new ExtractionError('too_large', 'The e-mail is made of too many parts to be read.');
  const email = await parseMessage(bytes);
  const body = bodyText(email) || (email.attachments.length === 0 ? rawBody(bytes) : '');
  const whole = [headerLines(email), body, attachmentLine(email)];
  const pages = cutLongText(whole.filter((part) => part !== '').join('\n\n'));
  sink.announce(pages.length);
  const label = normaliseLine(email.subject ?? '').slice(0, 200);
  for (const text of pages) await sink.emit({ text, ocr: false, ...(label === '' ? {} : { label }) });
};

function countDelimiters(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf('\n--'); at !== -1; at = bytes.indexOf('\n--', at + 3)) count += 1;
  return count;
}

async function parseMessage(bytes: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(withoutSeparator(bytes), LIMITS);
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

function headerLines(email: Email): string {
  // As the sender wrote it: with the local time and the day of the week.
  const date = email.headers.find(({ key }) => key === 'date')?.value ?? '';
  const lines: [string, string][] = [
    ['From', addresses(email.from ? [email.from] : [])],
    ['To', addresses(email.to)],
    ['Cc', addresses(email.cc)],
    ['Date', date],
    ['Subject', email.subject ?? ''],
  ];
  return lines
    .map(([name, value]) => [name, normaliseLine(value).slice(0, MAX_LINE)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

function addresses(list: readonly Address[] = []): string {
  const people = list.flatMap((entry) => entry.group ?? [entry]);
  return people
    .slice(0, MAX_NAMES)
    .map(({ name, address = '' }) => (name === '' || name === address ? address : `${name} <${address}>`))
    .filter((person) => person !== '')
    .join(', ');
}

function bodyText({ text = '', html = '' }: Email): string {
  const plain = normaliseText(text);
  if (html.trim() === '') return plain;
  const shown = htmlToText(html);
  return plain === '' || shown.length > plain.length * PLACEHOLDER_RATIO ? shown : plain;
}

/** Of a message whose parts cannot be told apart: better with its markers than not at all. */
function rawBody(bytes: Buffer): string {
  const gap = /\r?\n\r?\n/.exec(bytes.toString('latin1', 0, LIMITS.maxHeadersSize));
  return gap ? normaliseText(decodeText(bytes.subarray(gap.index + gap[0].length))) : '';
}

function attachmentLine({ attachments }: Email): string {
  const names = attachments
    .map(({ filename }) => normaliseLine(filename ?? '').slice(0, 255))
    .filter((name) => name !== '');
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `Attachments: ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}
