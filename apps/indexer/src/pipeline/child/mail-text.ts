import { cutLongText } from './cut-long-text.js';
import type { EnclosedFile } from './enclosed-file.js';
import { normaliseLine, normaliseText } from './normalise.js';
import type { PageSink } from './page-sink.js';

const MAX_NAMES = 100;
const MAX_LINE = 4_000;

export interface MailText {
  /** Label and value, in the order in which they are shown. */
  headers: readonly (readonly [string, string])[];
  subject: string;
  body: string;
  /** Names. */
  attachments: readonly string[];
  /** Those that are to be read. */
  files: readonly EnclosedFile[];
}

/** Bytes of a logo. A page that was scanned takes more. */
const SMALL_PICTURE = 20 * 1024;
/** Of what stands between the words: photographs and screens, which phones and people put there, take more. */
const SMALL_SHOWN_PICTURE = 100 * 1024;

/**
 * A message: who, to whom, when and about what, then its text, then the names of what is attached; on the pages that
 * follow, what is attached.
 */
export async function emitMail(mail: MailText, sink: PageSink): Promise<void> {
  const { headers, subject, body, attachments, files } = mail;
  const whole = [headerLines(headers), normaliseText(body), attachmentLine(attachments)]
    .filter((part) => part !== '')
    .join('\n\n');
  const pages = cutLongText(whole);
  if (files.length === 0) sink.announce(pages.length);
  const label = normaliseLine(subject).slice(0, 200);
  for (const text of pages) await sink.emit({ text, ocr: false, ...(label === '' ? {} : { label }) });
  await sink.attach(files);
}

/** What a page names as `cid:…`, without the angle brackets of the header. */
export function shownWithin(html: string): ReadonlySet<string> {
  const found = html.matchAll(/\bcid:([^"'\s<>)]{1,300})/gi);
  return new Set([...found].flatMap(([, id = '']) => [id, id.replaceAll(/%40/gi, '@')]));
}

/**
 * A picture that belongs to the looks of a message: logos, buttons and lines of signatures. Recognising them would take
 * seconds each, and say the same beneath every message of a sender.
 * @param hasId whether it has a Content-ID
 */
export function isDecoration(
  { name, mimeType, isShown = false }: Pick<EnclosedFile, 'name' | 'mimeType' | 'isShown'>,
  { hasId, size }: { hasId: boolean; size: number },
): boolean {
  return isPicture({ name, mimeType }) && (isShown ? size < SMALL_SHOWN_PICTURE : hasId && size < SMALL_PICTURE);
}

/** As far as its name and its type tell. */
export function isPicture({ name, mimeType }: Pick<EnclosedFile, 'name' | 'mimeType'>): boolean {
  return mimeType.startsWith('image/') || /\.(?:png|jpe?g|gif|webp|tiff?|bmp|svg|emf|wmf)$/i.test(name);
}

export function headerLines(headers: MailText['headers']): string {
  return headers
    .map(([name, value]) => [name, normaliseLine(value).slice(0, MAX_LINE)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** `Ada <ada@example.org>`, parted by commas; the first hundred. */
export function peopleLine(people: readonly { name?: string | undefined; address?: string | undefined }[]): string {
  return people
    .slice(0, MAX_NAMES)
    .map(({ name = '', address = '' }) =>
      name === '' || name === address ? address : address === '' ? name : `${name} <${address}>`,
    )
    .filter((person) => person !== '')
    .join(', ');
}

function attachmentLine(attachments: readonly string[]): string {
  const names = attachments.map((name) => normaliseLine(name).slice(0, 255)).filter((name) => name !== '');
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `Attachments: ${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}
