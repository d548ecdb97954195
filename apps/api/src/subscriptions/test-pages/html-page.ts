import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import { WORDS, type PageLanguage } from './words.js';

/** Text that is HTML already; everything else is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Piece = string | number | Html | null | readonly Html[];

function textOf(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(({ text }) => text).join('');
  return String(piece).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}

/** What is put in is escaped. */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.map((part, at) => part + (at < pieces.length ? textOf(pieces[at]!) : '')).join(''));
}

export interface HtmlPage {
  language: PageLanguage;
  title: string;
  body: Html;
  /** Where its forms may lead in the end, beside this server. */
  leadsTo?: string;
  status?: number;
}

const STYLE = `body{font:1rem/1.6 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
form{display:inline-block;margin:.25rem}button{font:inherit;padding:.5rem 1rem;border:1px solid #555;border-radius:.4rem;background:#fff;cursor:pointer}
button.first{background:#0b5;border-color:#084;color:#fff}table{border-collapse:collapse;width:100%}th,td{text-align:start;padding:.35rem .6rem;border-bottom:1px solid #ddd}
.notice{background:#fff6d6;padding:.6rem 1rem;border-radius:.4rem}.wrong{background:#fde4e1;padding:.6rem 1rem;border-radius:.4rem}`;

/** No scripts, no pictures, nothing from elsewhere; nobody may frame it, keep it or learn its address from it. */
export function sendPage(response: Response, { language, title, body, leadsTo, status = 200 }: HtmlPage): void {
  const nonce = randomBytes(16).toString('base64');
  // Browsers hold a redirect after a form to this as well.
  const origin = leadsTo === undefined ? '' : ` ${new URL(leadsTo).origin}`;
  response
    .status(status)
    .setHeader(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'${origin}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('X-Frame-Options', 'DENY')
    .setHeader('Cache-Control', 'no-store')
    .type('html')
    .send(
      html`<!doctype html>
        <html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width" />
          <title>${title}</title>
          <style nonce="${nonce}">
            ${new Html(STYLE)}
          </style>
          <h1>${title}</h1>
          <p class="notice">${WORDS[language].notice}</p>
          ${body}
        </html>`.text,
    );
}

export function sendGone(response: Response, language: PageLanguage): void {
  const { goneTitle, gone } = WORDS[language];
  sendPage(response, { language, title: goneTitle, body: html`<p>${gone}</p>`, status: 404 });
}

/** One button that posts to the page's own address. */
export function button(
  action: string,
  label: string,
  more: Readonly<Record<string, string>> = {},
  isFirst = false,
): Html {
  const hidden = Object.entries(more).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post"><input type="hidden" name="action" value="${action}">${hidden}<button${isFirst ? new Html(' class="first"') : null}>${label}</button></form>`;
}

/** The first language that the reader would have and the pages speak. */
export function readerLanguage(acceptLanguage: string | undefined): PageLanguage {
  const first = (acceptLanguage ?? '').split(',').find((one) => /^\s*(?:en|ar)\b/i.test(one));
  return first?.trim().toLowerCase().startsWith('ar') ? 'ar' : 'en';
}
