import { CurrentUser, type Principal } from '@app/auth';
import { TableChanges } from '@app/extraction';
import { Controller, Get, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../../http/pagination.js';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import {
  ChangePage,
  ChangesQuery,
  toChangeResponse,
  toUndoneChangeResponse,
  UndoneChangeResponse,
} from './change.dto.js';

/** What was changed by hand (docs/contract/extracted-tables.md#changes-by-hand). */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId')
@UseGuards(ExtractorGuard)
export class TableChangesController {
  constructor(private readonly changes: TableChanges) {}

  @Get('changes')
  @Route({
    summary: 'List what was changed by hand',
    description: 'Newest first; what one call, or one turn of the chat, changed is one change.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: ChangePage,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @UuidParam('tableId') tableId: string,
    @Query() query: ChangesQuery,
    @Req() request: Request,
  ): Promise<ChangePage> {
    const at = toPageRequest(query);
    const { count, items } = await this.changes.list(userId, tableId, at, query.turn_id ?? null);
    return toPageResponse({ count, items: items.map(toChangeResponse) }, at, request);
  }

  @Post('changes/:changeId/undo')
  @Route({
    summary: 'Undo a change',
    description:
      'Values come back with their evidence. What was changed again since stays, and is listed in `skipped`. 409 the second time.',
    errors: { 409: 'detail' },
    scope: 'documents:write',
    response: UndoneChangeResponse,
  })
  async undo(
    @CurrentUser() { userId }: Principal,
    @UuidParam('tableId') tableId: string,
    @UuidParam('changeId') changeId: string,
  ): Promise<UndoneChangeResponse> {
    return toUndoneChangeResponse(tableId, changeId, await this.changes.undo(userId, tableId, changeId));
  }
}
