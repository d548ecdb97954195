import { cutLongText } from './cut-long-text.js';
import { normaliseLine, normaliseText } from './normalise.js';
import type { PageSink } from './page-sink.js';

const MAX_NAMES = 100;
const MAX_LINE = 4_000;

export interface MailText {
  /** Label and value, in the order in which they are shown. */
  headers: readonly (readonly [string, string])[];
  subject: string;
  body: string;
  attachments: readonly string[];
}

/** A message: who, to whom, when and about what, then its text, then the names of what is attached. */
export async function emitMail({ headers, subject, body, attachments }: MailText, sink: PageSink): Promise<void> {
  const whole = [headerLines(headers), normaliseText(body), attachmentLine(attachments)]
    .filter((part) => part !== '')
    .join('\n\n');
  const pages = cutLongText(whole);
  sink.announce(pages.length);
  const label = normaliseLine(subject).slice(0, 200);
  for (const text of pages) await sink.emit({ text, ocr: false, ...(label === '' ? {} : { label }) });
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
  // Outlook packs what it attaches into a file that only Outlook opens.
  const packed = names.some((name) => /^winmail\.dat$/i.test(name))
    ? '\n(winmail.dat is a package of Outlook: what it holds was not read.)'
    : '';
  return `Attachments: ${names.slice(0, MAX_NAMES).join(', ')}${more}${packed}`;
}
