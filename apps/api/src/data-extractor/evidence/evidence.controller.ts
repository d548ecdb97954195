import { CurrentUser, type Principal } from '@app/auth';
import { ExtractedCells } from '@app/extraction';
import { Body, Controller, Get, Param, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../../http/pagination.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import {
  HighlightResponse,
  HighlightsQuery,
  HighlightsResponse,
  ReviewPage,
  ReviewQuery,
  toHighlightResponse,
  toReviewedCellResponse,
  VerifyCellRequest,
} from './cell.dto.js';
import { EvidenceFiles } from './evidence-files.js';

/** docs/contract/extracted-tables.md#evidence. */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId')
@UseGuards(ExtractorGuard)
export class EvidenceController {
  constructor(
    private readonly cells: ExtractedCells,
    private readonly files: EvidenceFiles,
  ) {}

  @Get('highlights')
  @Route({
    summary: 'See where values stand',
    description: 'The quote of each extracted value and its rectangles. Values that a person wrote are not among them.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: HighlightsResponse,
  })
  async highlights(
    @CurrentUser() { userId }: Principal,
    @UuidParam('tableId') tableId: string,
    @Query() query: HighlightsQuery,
    @Req() request: Request,
  ): Promise<HighlightsResponse> {
    const sourceUid = query.source_uid ?? null;
    const column = query.column_name ?? null;
    const { filename, documentUid, cells, isCut } = await this.cells.highlights(userId, tableId, { sourceUid, column });
    const { filePath, fileUrl } = await this.files.findDocument(request, userId, documentUid);
    return {
      success: true,
      result: {
        table_id: tableId,
        source_uid: sourceUid,
        filename,
        file_path: filePath,
        file_url: fileUrl,
        highlights: cells.map(toHighlightResponse),
        truncated: isCut,
      },
    };
  }

  @Get('review')
  @Route({
    summary: 'List values that somebody should look at',
    description:
      'Worst first, each with its page, rectangle and a picture of the page. What a person changed or verified is not among them.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: ReviewPage,
  })
  async review(
    @CurrentUser() { userId }: Principal,
    @UuidParam('tableId') tableId: string,
    @Query() query: ReviewQuery,
    @Req() request: Request,
  ): Promise<ReviewPage> {
    const at = toPageRequest(query);
    const filter = { status: query.status ?? null, column: query.column ?? null };
    const { count, items } = await this.cells.review(userId, tableId, filter, at);
    const files = await this.files.findPages(request, userId, items);
    const results = items.map((cell, index) => toReviewedCellResponse(cell, files[index]!));
    return toPageResponse({ count, items: results }, at, request);
  }

  @Post('rows/:sourceUid/cells/:columnName/verify')
  @Route({
    summary: 'Vouch for a value, or take it back',
    description: 'Of all rows of the source, or with `row_id` of one. Later extractions leave verified values alone.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: HighlightResponse,
  })
  async verify(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Param('sourceUid') sourceUid: string,
    @Param('columnName') column: string,
    @Body() { verified, row_id: rowId }: VerifyCellRequest,
  ): Promise<HighlightResponse> {
    const at = { sourceUid, column, rowId: rowId ?? null };
    return toHighlightResponse(await this.cells.verify(user, tableId, at, verified));
  }
}
