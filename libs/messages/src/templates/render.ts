import { arabic } from './arabic.js';
import { english } from './english.js';
import type { Language, MessageParams, TemplateName, Wording } from './template.js';

export interface RenderedMessage {
  /** Empty for text messages. */
  subject: string;
  text: string;
  html: string;
}

const wordings: Record<Language, Wording> = { en: english, ar: arabic };

/** The message in words: plain text and HTML that loads nothing; Arabic runs from right to left. */
export function renderMessage<T extends TemplateName>(
  template: T,
  language: Language,
  params: MessageParams[T],
): RenderedMessage {
  const wording: Wording[T] = wordings[language][template];
  const { subject, paragraphs, code, closing = [] } = wording(withHonestNames(oneLiners(params)));
  const text = [...paragraphs, ...(code === undefined ? [] : [code]), ...closing].join('\n\n');
  const lines = [
    ...paragraphs.map(paragraph),
    ...(code === undefined
      ? []
      : [`<p dir="ltr" style="font:700 24px monospace;letter-spacing:2px">${escapeHtml(code)}</p>`]),
    ...closing.map(paragraph),
  ];
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const html = [
    `<!doctype html><html lang="${language}" dir="${direction}"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;font:16px/1.5 sans-serif;color:#1a1a1a;background:#fff">',
    `<div style="max-width:560px;margin:0 auto;text-align:${direction === 'rtl' ? 'right' : 'left'}">`,
    ...lines,
    '</div></body></html>',
  ].join('\n');
  return { subject, text, html };
}

/** People choose their names: a line break in one would begin a new line or a new header, a bidi override turn the text. */
function oneLiners<P extends object>(params: P): P {
  const entries = Object.entries(params).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'string'
      ? value.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ').slice(0, 500)
      : value,
  ]);
  return Object.fromEntries(entries) as P;
}

/** What mail programs make a link of, or nobody is called. */
const LEADS_SOMEWHERE = /:\/\/|@|www\.|[^\s.]{2}\.\p{L}{2}/iu;
const LONGEST_NAME = 80;

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && !LEADS_SOMEWHERE.test(text);
}

/**
 * Whoever registers writes a name and the address of anybody, so that names would be a way to have this server send
 * advertisements to strangers: who has none that is one is greeted without it, and told of by the user name alone.
 */
function withHonestNames<P extends object>(params: P): P {
  const entries = Object.entries(params).map(([key, value]: [string, unknown]) => {
    if (typeof value !== 'string') return [key, value];
    if (key === 'name') return [key, isName(value) ? value : ''];
    const [, fullName, username] = PEOPLE.has(key) ? (/^(.*) \((\S+)\)$/u.exec(value) ?? []) : [];
    return [key, fullName === undefined || isName(fullName) ? value : username];
  });
  return Object.fromEntries(entries) as P;
}

/** Params that hold `First Last (username)` of somebody else. */
const PEOPLE: ReadonlySet<string> = new Set(['requester', 'owner', 'sharer', 'receiver']);

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
