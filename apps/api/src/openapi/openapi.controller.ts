import { Public } from '@app/auth';
import { Controller, Get, Header, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isKnownTag } from '../http/entity-tag.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { PublishedDocument } from './published-document.js';

@ApiExcludeController()
@PartOf('core')
@Controller()
export class OpenApiController {
  constructor(private readonly document: PublishedDocument) {}

  @Get('openapi.json')
  @Public()
  @Route({
    summary: 'This description',
    response: { contentType: 'application/json', description: 'OpenAPI' },
    alsoAnswers: { 304: null },
    readsHeaders: ['If-None-Match'],
    answersHeaders: ['ETag'],
    rate: 'none',
  })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  async get(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { etag } = this.document;
    response.vary('Accept-Encoding');
    // Weak: the same document, packed or not.
    response.set('ETag', `W/${etag}`);
    if (isKnownTag(etag, request.headers['if-none-match'])) {
      response.status(304).end();
      return;
    }
    const isPacked = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (isPacked) response.set('Content-Encoding', 'gzip');
    response.send(isPacked ? await this.document.packed() : this.document.make());
  }
}
