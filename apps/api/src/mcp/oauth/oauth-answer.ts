import { OAuthError } from '@app/auth';
import { DomainError } from '@app/common';
import type { Response } from 'express';

/** Answers as OAuth wants it; what is no refusal of ours goes on to the filter. */
export async function answerOAuth(response: Response, work: () => Promise<object | null>, status = 200): Promise<void> {
  response.setHeader('Cache-Control', 'no-store');
  try {
    const body = await work();
    if (body === null) response.status(status).end();
    else response.status(status).json(body);
  } catch (error) {
    if (error instanceof OAuthError)
      response.status(error.status).json({ error: error.code, error_description: error.message, code: error.code });
    else if (error instanceof DomainError || !response.headersSent) throw error;
  }
}
