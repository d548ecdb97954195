import { Public } from '@app/auth';
import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
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
    rate: 'none',
  })
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  get(@Res() response: Response): void {
    response.send(this.document.make());
  }
}
