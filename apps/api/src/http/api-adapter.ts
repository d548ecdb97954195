import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';

/**
 * Express, with a short way for JSON answers, which are nearly all: the type is known, an entity tag is not wanted,
 * and headers and body leave in one write.
 */
export class ApiAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (typeof body !== 'object' || body === null || body instanceof StreamableFile || body instanceof Error)
      return super.reply(response, body, statusCode);
    if (response.headersSent || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    const bytes = Buffer.byteLength(text);
    response.setHeader('Content-Length', bytes);
    // Of plain ASCII the bytes are the same, and no transcoding is needed.
    return response.end(text, bytes === text.length ? 'latin1' : 'utf8');
  }
}
