import { randomBytes } from 'node:crypto';
import type { PageAddresses } from './page-addresses.js';
import { PageAssets } from './page-assets.js';
import { PAGE_POLICY } from './page-document.js';
import type { ServedDocument } from './served-document.js';

/** Who may show pages in a frame, and tell them whether it is dark. */
export interface Embedders {
  origins: readonly string[];
  /** Pages of this machine, on any port, too. */
  local: boolean;
}

export interface ShellContents {
  title: string;
  /** The whole document of the page. */
  page: string;
  token: string;
  /** For so long the token is good. */
  seconds: number;
}

const LOCAL = ['http://localhost:*', 'http://*.localhost:*', 'http://127.0.0.1:*', 'https://localhost:*'];

/** JSON within a script: nothing in it ends the script, or begins a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const NO_FEATURES =
  'accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), usb=(), window-management=(), xr-spatial-tracking=()';

/** Of everything that this origin serves. */
const COMMON = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'Permissions-Policy': NO_FEATURES,
  'X-Robots-Tag': 'noindex, nofollow',
} as const;

/** @param own who may frame it besides */
function ancestors({ origins, local }: Embedders, ...own: string[]): string {
  const all = [...own, ...origins, ...(local ? LOCAL : [])];
  return all.length > 0 ? all.join(' ') : "'none'";
}

/** The trusted document around a page: it alone holds the token (docs/concepts/pages.md). */
export function shellDocument(
  { title, page, token, seconds }: ShellContents,
  addresses: PageAddresses,
  embedders: Embedders,
): ServedDocument {
  const nonce = randomBytes(18).toString('base64');
  const opened = {
    title,
    page,
    token,
    seconds,
    holder: addresses.holder,
    charts: addresses.charts,
    embedders: embedders.origins,
    localEmbedders: embedders.local,
  };
  const body =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><style nonce="${nonce}">${PageAssets.style.content}</style></head>` +
    '<body><div id="notice" role="alert" hidden></div><main id="page"></main>' +
    `<script type="application/json" id="opened" nonce="${nonce}">${scriptJson(opened)}</script>` +
    `<script nonce="${nonce}">${PageAssets.shell.content}</script></body></html>`;
  return {
    body,
    headers: {
      ...COMMON,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Cross-Origin-Opener-Policy': 'same-origin',
      // Where a browser knows it, the frames inside cannot reach anybody else either, by whatever means.
      'Connection-Allowlist': '(response-origin)',
      'Content-Security-Policy': [
        "default-src 'none'",
        `script-src 'nonce-${nonce}'`,
        `style-src 'nonce-${nonce}'`,
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        `frame-ancestors ${ancestors(embedders)}`,
      ].join('; '),
    },
  };
}

/** The frame between shell and page: the policy that the page's frame takes over stands in its headers. */
export function holderDocument(embedders: Embedders): ServedDocument {
  return {
    body: PageAssets.holder.content,
    headers: {
      ...COMMON,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'private, max-age=86400',
      'Connection-Allowlist': '()',
      'Content-Security-Policy': `sandbox allow-scripts allow-forms; ${PAGE_POLICY}; frame-ancestors ${ancestors(embedders, "'self'")}`,
    },
  };
}

/** Never run by its address: the shell reads it as text. */
export function chartsScript(): ServedDocument {
  return {
    body: PageAssets.charts.content,
    headers: {
      ...COMMON,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': "sandbox; default-src 'none'",
    },
  };
}

/** A few words for whoever opens an address that shows nothing (any more). */
export function noticeDocument(heading: string, text: string, embedders: Embedders): ServedDocument {
  const style = 'body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:34em;padding:0 1em}';
  const nonce = randomBytes(18).toString('base64');
  return {
    body:
      '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
      '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">' +
      `<title>${escapeHtml(heading)}</title><style nonce="${nonce}">${style}</style></head>` +
      `<body><h1>${escapeHtml(heading)}</h1><p>${escapeHtml(text)}</p></body></html>`,
    headers: {
      ...COMMON,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors(embedders)}`,
    },
  };
}
