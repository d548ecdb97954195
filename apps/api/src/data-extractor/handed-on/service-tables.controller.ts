import { CurrentUser, type Principal } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { ExtractorService } from '@app/integrations';
import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OpenCalls } from '../../http/open-calls.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { untilUnwanted } from './client-gone.js';
import { readAnswer, SERVICE_ANSWERS } from './service-answers.js';
import { fieldsOf, queryOf, textsOf } from './service-body.js';
import { ServiceCallers } from './service-callers.js';
import { handedOn } from './service-routes.js';
import { scope, type ServiceAsker, ServiceTables } from './service-tables.js';

const COLUMNS_OF_TABLE = ['table_name', 'columns', 'rows', 'metadata', 'workflow_id'];
const CHANGES_OF_TABLE = ['table_name', 'columns', 'rows', 'metadata', 'replace_rows'];
const PAGE = ['page', 'page_size'];

/** Extracted tables that a separate service keeps (docs/contract/extractor-service.md). */
@PartOf('core')
@Controller('microservices/data-extractor')
export class ServiceTablesController {
  constructor(
    private readonly service: ExtractorService,
    private readonly tables: ServiceTables,
    private readonly callers: ServiceCallers,
    private readonly calls: OpenCalls,
  ) {}

  @Get('tables')
  @Route(handedOn('List tables', { scope: 'documents:read' }))
  async list(
    @CurrentUser() user: Principal,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    const tables = await this.tables.list(asker, queryOf(query, ['organization_name']).organization_name);
    return { count: tables.length, tables };
  }

  @Get('table')
  @Route(handedOn('Read some tables', { scope: 'documents:read' }))
  async some(
    @CurrentUser() user: Principal,
    @Query('ids') ids: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    const asked = typeof ids === 'string' ? ids.split(',').map((id) => id.trim()) : [];
    const wanted = [...new Set(asked.filter((id) => id !== ''))];
    if (wanted.length === 0) throw new InvalidRequestError('ids are required.', { code: 'ids_required' });
    const tables = await this.tables.some(asker, wanted);
    return { count: tables.length, tables };
  }

  @Post('create_table')
  @Route(handedOn('Make a table', { scope: 'documents:write', startsSomething: true }))
  async create(
    @CurrentUser() user: Principal,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    const { email, organization } = asker.caller;
    const table = { ...fieldsOf(body, COLUMNS_OF_TABLE), email, organization_name: organization };
    const answer = await this.service.json({ method: 'POST', path: ['create_table'], body: table, ...asker });
    return { table_id: readAnswer(SERVICE_ANSWERS.created, answer).table_id };
  }

  @Put('update_table/:table_id')
  @Route(handedOn('Change a table', { scope: 'documents:write' }))
  async update(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const change = fieldsOf(body, CHANGES_OF_TABLE);
    const asker = await this.owning(user, response, id);
    const path = ['update_table', id];
    return this.ask(asker, { method: 'PUT', path, body: change });
  }

  @Get('table/:table_id')
  @Route(handedOn('Read a table', { scope: 'documents:read' }))
  async read(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.tables.get(await this.asker(user, response), id, queryOf(query, PAGE));
  }

  @Delete('table/:table_id')
  @Route(handedOn('Delete a table', { scope: 'documents:write' }))
  async remove(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.ask(await this.owning(user, response, id), { method: 'DELETE', path: ['table', id] });
  }

  @Patch('table/:table_id/rows/:source_uid')
  @Route(handedOn('Edit a row', { scope: 'documents:write' }))
  async edit(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('source_uid') source: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const change = fieldsOf(body, ['data']);
    const asker = await this.owning(user, response, id);
    return this.ask(asker, { method: 'PATCH', path: ['table', id, 'rows', source], body: change });
  }

  @Delete('table/:table_id/rows/:source_uid')
  @Route(handedOn('Delete a row', { scope: 'documents:write' }))
  async removeRow(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('source_uid') source: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.owning(user, response, id);
    return this.ask(asker, { method: 'DELETE', path: ['table', id, 'rows', source] });
  }

  @Get('table/:table_id/highlights')
  @Route(handedOn('Read where values come from', { scope: 'documents:read' }))
  async highlights(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.owning(user, response, id);
    const asked = queryOf(query, ['source_uid', 'column_name']);
    return this.ask(asker, { method: 'GET', path: ['table', id, 'highlights'], query: asked });
  }

  @Get('table/:table_id/review')
  @Route(handedOn('List what a person should look at', { scope: 'documents:read' }))
  async review(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.owning(user, response, id);
    const asked = queryOf(query, ['status', 'column', ...PAGE]);
    return this.ask(asker, { method: 'GET', path: ['table', id, 'review'], query: asked });
  }

  @Post('table/:table_id/rows/:source_uid/cells/:column_name/verify')
  @Route(handedOn('Verify a value', { scope: 'documents:write' }))
  async verify(
    @CurrentUser() user: Principal,
    @Param('table_id') id: string,
    @Param('source_uid') source: string,
    @Param('column_name') column: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const change = fieldsOf(body, ['verified']);
    const asker = await this.owning(user, response, id);
    const path = ['table', id, 'rows', source, 'cells', column, 'verify'];
    return this.ask(asker, { method: 'POST', path, body: change });
  }

  @Get('tables_database')
  @Route(handedOn('List table databases', { scope: 'documents:read' }))
  async databases(
    @CurrentUser() user: Principal,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    const { organization_name: organization } = queryOf(query, ['organization_name']);
    const databases = await this.tables.databases(asker, organization);
    return { count: databases.length, tables_databases: databases };
  }

  @Post('tables_database')
  @Route(handedOn('Make a table database', { scope: 'documents:write', startsSomething: true }))
  async createDatabase(
    @CurrentUser() user: Principal,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    const { email, organization } = asker.caller;
    const database = { ...(await this.members(asker, body)), email, organization_name: organization };
    return this.ask(asker, { method: 'POST', path: ['tables_database'], body: database });
  }

  @Get('tables_database/:db_id')
  @Route(handedOn('Read a table database', { scope: 'documents:read' }))
  async database(
    @CurrentUser() user: Principal,
    @Param('db_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    return this.tables.database(await this.asker(user, response), id);
  }

  @Put('tables_database/:db_id')
  @Route(handedOn('Change a table database', { scope: 'documents:write' }))
  async updateDatabase(
    @CurrentUser() user: Principal,
    @Param('db_id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    await this.tables.database(asker, id);
    return this.ask(asker, { method: 'PUT', path: ['tables_database', id], body: await this.members(asker, body) });
  }

  @Delete('tables_database/:db_id')
  @Route(handedOn('Delete a table database', { scope: 'documents:write' }))
  async removeDatabase(
    @CurrentUser() user: Principal,
    @Param('db_id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const asker = await this.asker(user, response);
    await this.tables.database(asker, id);
    return this.ask(asker, { method: 'DELETE', path: ['tables_database', id] });
  }

  /** A database may hold the caller's own tables alone: whoever reads it would read them. */
  private async members(asker: ServiceAsker, body: unknown): Promise<Record<string, unknown>> {
    const fields = fieldsOf(body, ['name', 'table_ids']);
    if (fields.table_ids !== undefined)
      await this.tables.requireAllOwn(asker, [...new Set(textsOf(fields.table_ids, 'table_ids'))]);
    return fields;
  }

  private async ask(
    asker: ServiceAsker,
    call: { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string[]; query?: object; body?: unknown },
  ): Promise<object> {
    const query = { ...call.query, ...scope(asker) };
    return readAnswer(SERVICE_ANSWERS.any, await this.service.json({ ...call, query, ...asker }));
  }

  private async owning(user: Principal, response: Response, id: string): Promise<ServiceAsker> {
    const asker = await this.asker(user, response);
    await this.tables.requireOwn(asker, id);
    return asker;
  }

  private async asker(user: Principal, response: Response): Promise<ServiceAsker> {
    return { caller: await this.callers.of(user), signal: untilUnwanted(response, this.calls) };
  }
}
