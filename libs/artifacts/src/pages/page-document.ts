import { PageAssets } from './page-assets.js';

/** Nothing that a page does may reach a network (docs/concepts/pages.md). */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'font-src data:',
  'media-src data: blob:',
  "connect-src 'none'",
  "frame-src 'none'",
  "object-src 'none'",
  "worker-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "webrtc 'block'",
].join('; ');

export interface OpenedPage {
  artifact: { id: string; version: number; title: string };
  /** Of `render-url/`; `{}` when none was given. */
  state: Record<string, unknown>;
}

const attribute = (text: string): string => text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * What the frame of a page shows: our policy and our script first, then the page as it was published. Whatever begins it, the
 * parser is past the policy by then: a second doctype, `<html>`, `<head>` or `<base>` cannot come before it.
 */
export function pageDocument(html: string, opened: OpenedPage): string {
  return (
    `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${attribute(PAGE_POLICY)}">` +
    '<meta charset="utf-8"><meta name="referrer" content="no-referrer">' +
    `<script data-opened="${attribute(JSON.stringify(opened))}">${PageAssets.runtime.content}</script>${html}`
  );
}
