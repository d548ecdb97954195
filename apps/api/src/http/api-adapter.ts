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
    response.setHeader('Content-Length', Buffer.byteLength(text));
    return response.end(text);
  }
}
