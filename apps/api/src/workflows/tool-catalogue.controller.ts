import { NotFoundError } from '@app/common';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isKnownTag } from '../http/entity-tag.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { ToolListingResponse, ToolListQuery, ToolResponse } from './tool-catalogue.dto.js';
import { ToolListing } from './tool-listing.js';

@ApiTags('Workflow tools')
@PartOf('flowapps')
@Controller('microservices/apis')
export class ToolCatalogueController {
  constructor(private readonly kinds: ToolListing) {}

  @Get()
  @Route({
    summary: 'List the node kinds',
    description: 'Carries an ETag: with `If-None-Match` an unchanged catalogue is answered with 304.',
    errors: 'fields',
    scope: 'workflows:read',
    response: ToolListingResponse,
    alsoAnswers: { 304: null },
    readsHeaders: ['If-None-Match'],
    answersHeaders: ['ETag'],
  })
  list(
    @Query() { category, search }: ToolListQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): ToolListingResponse | undefined {
    const { categories, tools, etag } = this.kinds.listing;
    response.setHeader('ETag', etag);
    response.setHeader('Cache-Control', 'private, no-cache');
    if (isKnownTag(etag, request.headers['if-none-match'])) {
      response.status(304);
      return undefined;
    }
    const words = (search?.toLowerCase() ?? '').split(/\s+/);
    const labels = new Map(categories.map(({ key, label }) => [key, label]));
    const found = tools.filter(
      (tool) =>
        (!category || tool.category === category) &&
        words.every((word) =>
          [tool.kind, tool.name, tool.description, labels.get(tool.category) ?? ''].some((text) =>
            text.toLowerCase().includes(word),
          ),
        ),
    );
    return { count: found.length, categories, tools: found };
  }

  @Get(':kind/')
  @Route({
    summary: 'Get a node kind',
    description: 'What it does, its parameters as JSON Schema, its outlets, and whether it may be run again.',
    scope: 'workflows:read',
    response: ToolResponse,
  })
  get(@Param('kind') kind: string): ToolResponse {
    const tool = this.kinds.listing.tools.find((entry) => entry.kind === kind);
    if (!tool) throw new NotFoundError();
    return tool;
  }
}
