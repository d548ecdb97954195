import { CurrentUser, type Principal } from '@app/auth';
import { ExtractedRows } from '@app/extraction';
import { Body, Controller, Delete, Param, Patch, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import {
  DeletedRowResponse,
  DeleteRowQuery,
  EditedRowResponse,
  EditRowRequest,
  toEditedRowResponse,
} from './row.dto.js';

@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor/table/:tableId/rows')
@UseGuards(ExtractorGuard)
export class ExtractedRowsController {
  constructor(private readonly rows: ExtractedRows) {}

  @Patch(':sourceUid')
  @Route({
    summary: 'Change cells of a row',
    description:
      'Of all rows of the source, or with `row_id` of one. Values are read in the type of their column; the evidence of what is changed goes, and later extractions leave it alone.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: EditedRowResponse,
  })
  async edit(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Param('sourceUid') sourceUid: string,
    @Body() body: EditRowRequest,
  ): Promise<EditedRowResponse> {
    const at = { sourceUid, rowId: body.row_id ?? null };
    return toEditedRowResponse(await this.rows.edit(user, tableId, at, body.data));
  }

  @Delete(':sourceUid')
  @Route({
    summary: 'Delete a row',
    description: 'All rows of the source, or with `row_id` one of them.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: DeletedRowResponse,
  })
  async delete(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') tableId: string,
    @Param('sourceUid') sourceUid: string,
    @Query() query: DeleteRowQuery,
  ): Promise<DeletedRowResponse> {
    const at = { sourceUid, rowId: query.row_id ?? null };
    const { deletedRows, changeId } = await this.rows.delete(user, tableId, at);
    return {
      message: 'Rows deleted.',
      table_id: tableId,
      source_uid: sourceUid,
      deleted_rows: deletedRows,
      change_id: changeId,
    };
  }
}
