import { CurrentUser, type Principal } from '@app/auth';
import { ForbiddenError, isUuid } from '@app/common';
import { ExtractedTables, TableRows } from '@app/extraction';
import { Body, Controller, Delete, Get, Post, Put, Query, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import { sendJsonText, tablesText, tableText } from './send-table.js';
import {
  CreatedTableResponse,
  CreateTableRequest,
  DeletedTableResponse,
  OrganizationQuery,
  TableQuery,
  TableResponse,
  TablesByIdQuery,
  TablesResponse,
  toNewTable,
  toTableHead,
  toTableUpdate,
  toUpdatedTableResponse,
  UpdatedTableResponse,
  UpdateTableRequest,
} from './table.dto.js';

/** docs/contract/extracted-tables.md. */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor')
@UseGuards(ExtractorGuard)
export class ExtractedTablesController {
  constructor(
    private readonly tables: ExtractedTables,
    private readonly rows: TableRows,
  ) {}

  @Get('tables')
  @Route({
    summary: 'List extracted tables',
    description: 'Own and shared ones, newest first, without their rows: `rows_count` says how many there are.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: TablesResponse,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @Query() { organization_name: organization }: OrganizationQuery,
  ): Promise<TablesResponse> {
    const tables = await this.tables.list(userId, organization ?? null);
    return { count: tables.length, tables: tables.map((table) => ({ ...toTableHead(table), rows: [] })) };
  }

  @Get('table')
  @Route({
    summary: 'Read several extracted tables',
    description: 'With their rows, in the order of `ids`. 403 when one of them is neither yours nor shared with you.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: TablesResponse,
  })
  async getSeveral(
    @CurrentUser() { userId }: Principal,
    @Query() { ids }: TablesByIdQuery,
    @Res() response: Response,
  ): Promise<void> {
    const wanted = [...new Set(ids.map((id) => id.trim().toLowerCase()))];
    // What names nothing is told apart from what is not shown by nobody.
    const tables = wanted.every(isUuid) ? await this.tables.getAll(userId, wanted) : null;
    if (tables === null)
      throw new ForbiddenError('One of these tables is neither yours nor shared with you.', {
        code: 'table_not_yours',
      });
    await sendJsonText(
      response,
      tablesText(tables, ({ id }) => this.rows.batches(userId, id)),
    );
  }

  @Post('create_table')
  @Route({
    summary: 'Create an extracted table',
    description:
      'With its columns, and rows where there are some already. It belongs to you; with `workflow_id` it goes when that workflow is deleted for good.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: CreatedTableResponse,
    startsSomething: true,
    bringsRows: true,
  })
  async create(@CurrentUser() user: Principal, @Body() body: CreateTableRequest): Promise<CreatedTableResponse> {
    return { table_id: await this.tables.create(user, toNewTable(body)) };
  }

  @Put('update_table/:tableId')
  @Route({
    summary: 'Change an extracted table',
    description:
      'Name, columns (all of them), metadata (joined with what is there), and with `replace_rows` every row. `warning` says what was lost.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: UpdatedTableResponse,
    bringsRows: true,
  })
  async update(
    @CurrentUser() user: Principal,
    @UuidParam('tableId') id: string,
    @Body() body: UpdateTableRequest,
  ): Promise<UpdatedTableResponse> {
    return toUpdatedTableResponse(await this.tables.update(user, id, toTableUpdate(body)));
  }

  @Get('table/:tableId')
  @Route({
    summary: 'Read an extracted table',
    description: 'With all its rows, or with `limit` page by page; `query` and `status` leave rows out.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: TableResponse,
  })
  async get(
    @CurrentUser() { userId }: Principal,
    @UuidParam('tableId') id: string,
    @Query() query: TableQuery,
    @Res() response: Response,
  ): Promise<void> {
    const table = await this.tables.get(userId, id);
    const { limit, cursor = null, ...filter } = query;
    if (limit === undefined)
      return sendJsonText(response, tableText(table, this.rows.batches(userId, id, filter, cursor)));
    const found = await this.rows.page(userId, id, filter, cursor, limit + 1);
    const page = found.slice(0, limit);
    const next = found.length > limit ? page.at(-1)!.id : null;
    return sendJsonText(
      response,
      tableText(table, onePage(page), () => ({ next_cursor: next })),
    );
  }

  @Delete('table/:tableId')
  @Route({
    summary: 'Delete an extracted table',
    description: 'For good, with its rows and all that is known of them. Only the owner may.',
    scope: 'documents:write',
    response: DeletedTableResponse,
  })
  async delete(@CurrentUser() user: Principal, @UuidParam('tableId') id: string): Promise<DeletedTableResponse> {
    const deleted = await this.tables.delete(user, id);
    return { message: 'Table deleted.', table_id: id, deleted };
  }
}

async function* onePage<T>(rows: readonly T[]): AsyncGenerator<readonly T[], void> {
  yield rows;
}
