import { createHash } from 'node:crypto';
import { Public } from '@app/auth';
import { toDefinitionSchema, ToolCatalogue } from '@app/workflow-definition';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isKnownTag } from '../http/entity-tag.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';

/** For editors, generators and checks outside: it says nothing of the deployment but its kinds of nodes. */
@ApiTags('Workflow tools')
@PartOf('flowapps')
@Controller('schemas')
export class DefinitionSchemaController {
  private readonly text: string;
  private readonly etag: string;

  constructor(catalogue: ToolCatalogue) {
    this.text = JSON.stringify(toDefinitionSchema(catalogue));
    this.etag = `"${createHash('sha256').update(this.text).digest('base64url')}"`;
  }

  @Get('workflow.json')
  @Public()
  @Route({
    answersHeaders: ['ETag'],
    summary: 'Get the JSON Schema of a workflow definition',
    description:
      'Draft 2020-12, with the params of every kind of node. Carries an ETag: with `If-None-Match` an unchanged schema is 304.',
    response: { contentType: 'application/schema+json', description: 'JSON Schema' },
    alsoAnswers: { 304: null },
    readsHeaders: ['If-None-Match'],
    rate: 'none',
  })
  get(@Req() request: Request, @Res() response: Response): void {
    response.set({ ETag: this.etag, 'Cache-Control': 'public, max-age=300' });
    // Pages that may call with their cookies are named already: to browsers `*` is nobody then.
    if (!response.hasHeader('Access-Control-Allow-Origin')) response.set('Access-Control-Allow-Origin', '*');
    response.vary('Origin');
    if (isKnownTag(this.etag, request.headers['if-none-match'])) response.status(304).end();
    else response.type('application/schema+json').send(this.text);
  }
}
