import type { Response } from 'express';

/** A page has no scripts, no pictures and no frames, and nobody may put it into one. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/**
 * Tells a person who was led here that the program that asks for access asks wrongly. Nobody is led on: the address is
 * one that a stranger wrote.
 * @param target where the program wanted to be told; null when it is not even known to be its own
 */
export function showErrorPage(
  response: Response,
  status: number,
  { code, message, target }: { code: string; message: string; target: string | null },
): void {
  const back =
    target === null
      ? '<p>Nothing was sent to the program. Close this page.</p>'
      : `<p>The program wants to be told at this address. Go there only if you know it:</p>
<p><code>${escapeHtml(target)}</code></p>`;
  response
    .status(status)
    .setHeader('Content-Security-Policy', POLICY)
    .setHeader('Referrer-Policy', 'no-referrer')
    .setHeader('X-Frame-Options', 'DENY')
    .type('html').send(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This sign-in cannot go on</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{overflow-wrap:anywhere}</style>
<h1>This sign-in cannot go on</h1>
<p>A program asked for access to your account, but not as it should: ${escapeHtml(message)}</p>
<p>Code: <code>${escapeHtml(code)}</code></p>
${back}
`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}
