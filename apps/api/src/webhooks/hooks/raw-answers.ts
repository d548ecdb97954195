import type { CallAnswer, ChallengeAnswer } from '@app/workflows';
import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';

/** What others wrote is shown, but runs nothing and reads nothing of ours: it comes from the address of the api. */
const SANDBOX =
  "sandbox; default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function guard(response: Response): void {
  response.setHeader('Content-Security-Policy', SANDBOX);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  // The address is a secret, which no link leads on to.
  response.setHeader('Referrer-Policy', 'no-referrer');
}

/** What a `respond` node says. */
export function sendAnswer(response: Response, { status, headers, body }: CallAnswer): StreamableFile {
  guard(response);
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return new StreamableFile(body, {
    type: headers['content-type'] ?? 'text/plain; charset=utf-8',
    length: body.length,
  });
}

/** What a vendor asked for. */
export function sendChallenge(response: Response, { contentType, body }: ChallengeAnswer): StreamableFile {
  guard(response);
  response.status(200);
  const bytes = Buffer.from(body);
  return new StreamableFile(bytes, { type: contentType, length: bytes.length });
}
