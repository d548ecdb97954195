import { CurrentUser, type Principal } from '@app/auth';
import { TableDatabases } from '@app/extraction';
import { Body, Controller, Delete, Get, Post, Put, Query, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { ExtractorGuard } from '../extractor.guard.js';
import { OrganizationQuery } from '../tables/table.dto.js';
import {
  CreateTableDatabaseRequest,
  DeletedTableDatabaseResponse,
  TableDatabaseResponse,
  TableDatabasesResponse,
  toTableDatabaseResponse,
  UpdateTableDatabaseRequest,
} from './database.dto.js';

/** Tables under one name (docs/contract/extracted-tables.md#table-databases). */
@ApiTags('Extracted tables')
@PartOf('core')
@Controller('microservices/data-extractor')
@UseGuards(ExtractorGuard)
export class TableDatabasesController {
  constructor(private readonly databases: TableDatabases) {}

  @Get('tables_database')
  @Route({
    summary: 'List table databases',
    description: 'Your own, newest first.',
    errors: 'fields+error',
    scope: 'documents:read',
    response: TableDatabasesResponse,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @Query() { organization_name: organization }: OrganizationQuery,
  ): Promise<TableDatabasesResponse> {
    const databases = await this.databases.list(userId, organization ?? null);
    return { count: databases.length, tables_databases: databases.map(toTableDatabaseResponse) };
  }

  @Post('tables_database')
  @Route({
    summary: 'Create a table database',
    description: 'Puts tables together under a name. 403 when one of them is neither yours nor shared with you.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: TableDatabaseResponse,
    startsSomething: true,
  })
  async create(
    @CurrentUser() { userId }: Principal,
    @Body() { name, table_ids: tableIds }: CreateTableDatabaseRequest,
  ): Promise<TableDatabaseResponse> {
    return toTableDatabaseResponse(await this.databases.create(userId, name, tableIds ?? []));
  }

  @Get('tables_database/:databaseId')
  @Route({
    summary: 'Read a table database',
    description: '403 for those of others.',
    scope: 'documents:read',
    response: TableDatabaseResponse,
  })
  async get(@CurrentUser() { userId }: Principal, @UuidParam('databaseId') id: string): Promise<TableDatabaseResponse> {
    return toTableDatabaseResponse(await this.databases.get(userId, id));
  }

  @Put('tables_database/:databaseId')
  @Route({
    summary: 'Change a table database',
    description: 'Its name, and all of its tables at once.',
    errors: 'fields+error',
    scope: 'documents:write',
    response: TableDatabaseResponse,
  })
  async update(
    @CurrentUser() { userId }: Principal,
    @UuidParam('databaseId') id: string,
    @Body() { name, table_ids: tableIds }: UpdateTableDatabaseRequest,
  ): Promise<TableDatabaseResponse> {
    return toTableDatabaseResponse(await this.databases.update(userId, id, { name, tableIds }));
  }

  @Delete('tables_database/:databaseId')
  @Route({
    summary: 'Delete a table database',
    description: 'Its tables stay.',
    scope: 'documents:write',
    response: DeletedTableDatabaseResponse,
  })
  async delete(
    @CurrentUser() { userId }: Principal,
    @UuidParam('databaseId') id: string,
  ): Promise<DeletedTableDatabaseResponse> {
    await this.databases.delete(userId, id);
    return { message: 'Table database deleted.', tables_database_id: id };
  }
}
