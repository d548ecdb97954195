import { CurrentUser, type Principal } from '@app/auth';
import { Extractions } from '@app/extraction';
import { Body, Controller, Get, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { PageQuery, toPageRequest, toPageResponse } from '../../http/pagination.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import {
  ExtractionPage,
  ExtractionResponse,
  ExtractionStartedResponse,
  ExtractRequest,
  toExtractionResponse,
  toNewExtraction,
} from './extractions.dto.js';

/** Documents into tables. */
@ApiTags('Extracted tables')
@UseGuards(ExtractorGuard)
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId')
export class ExtractionsController {
  constructor(private readonly extractions: Extractions) {}

  @Post('extract')
  @Route({
    summary: 'Extract documents into a table',
    description:
      'Each document becomes a row, or a row for each line item (`metadata.row_mode`), in the background. 403 where one of the documents, or the table, is not yours to read or write; then nothing is stored. A document that is still being indexed is waited for.',
    errors: { 400: 'fields', 403: 'detail', 404: 'detail', 409: 'detail' },
    scope: 'documents:write',
    response: ExtractionStartedResponse,
    status: 202,
    startsSomething: true,
  })
  async extract(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Body() body: ExtractRequest,
  ): Promise<ExtractionStartedResponse> {
    const { id, total } = await this.extractions.request(user.userId, tableId, toNewExtraction(body));
    return { extraction_id: id, table_id: tableId, total };
  }

  @Get('extractions')
  @Route({
    summary: 'List the extractions of a table',
    description: 'Newest first, each with its documents.',
    errors: 'fields',
    scope: 'documents:read',
    response: ExtractionPage,
  })
  async list(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<ExtractionPage> {
    const at = toPageRequest(query);
    const { count, items } = await this.extractions.list(user.userId, tableId, at);
    return toPageResponse({ count, items: items.map(toExtractionResponse) }, at, request);
  }

  @Get('extractions/:extractionId')
  @Route({
    summary: 'How far an extraction is',
    description: 'Its state, and that of each of its documents.',
    scope: 'documents:read',
    response: ExtractionResponse,
  })
  async get(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @UuidParam('extractionId') id: string,
  ): Promise<ExtractionResponse> {
    return toExtractionResponse(await this.extractions.get(user.userId, tableId, id));
  }

  @Post('extractions/:extractionId/cancel')
  @Route({
    summary: 'Cancel an extraction',
    description:
      'What waits is not begun, what is being read writes nothing more; rows that are there stay. One that has ended stays as it is.',
    scope: 'documents:write',
    response: ExtractionResponse,
    open: true,
  })
  async cancel(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @UuidParam('extractionId') id: string,
  ): Promise<ExtractionResponse> {
    return toExtractionResponse(await this.extractions.cancel(user.userId, tableId, id));
  }

  @Post('extractions/:extractionId/retry')
  @Route({
    summary: 'Try what failed again',
    description:
      'The failed and cancelled documents of an extraction of yours; 409 `nothing_to_retry` where there are none.',
    scope: 'documents:write',
    response: ExtractionResponse,
    startsSomething: true,
  })
  async retry(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @UuidParam('extractionId') id: string,
  ): Promise<ExtractionResponse> {
    return toExtractionResponse(await this.extractions.retry(user.userId, tableId, id));
  }
}
