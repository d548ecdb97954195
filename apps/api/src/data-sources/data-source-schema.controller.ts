import { CurrentUser, type Principal } from '@app/auth';
import { SchemaBrowser, SourceProbe } from '@app/data-sources';
import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { untilGone } from '../http/until-gone.js';
import {
  DataSourceTestResponse,
  SchemaPageQuery,
  SchemaPageResponse,
  toTableResponse,
  toTestResponse,
} from './data-source-schema.dto.js';
import { throwAsDomainError } from './source-errors.js';

/** What is asked of a connected database itself (docs/contract/data-sources.md#schema). */
@ApiTags('Data sources')
@PartOf('data_integration')
@Controller('microservices/data-sources')
export class DataSourceSchemaController {
  constructor(
    private readonly probe: SourceProbe,
    private readonly schemas: SchemaBrowser,
  ) {}

  @Post(':id/test/')
  @Route({
    summary: 'Test a data source',
    description: 'Always 200 for what is wrong with the database, within 30 seconds. The outcome is kept.',
    response: DataSourceTestResponse,
    rate: { bucket: 'data-source-test', perMinute: 30 },
  })
  async test(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DataSourceTestResponse> {
    return toTestResponse(await this.probe.test(viewer.userId, id, untilGone(response)));
  }

  @Get(':id/schema/')
  @Route({
    summary: 'Show what a data source holds',
    description:
      'Tables and views that its user may read, with their columns, by schema and name. 502 when the database cannot be ' +
      'reached, 504 when it is slow.',
    errors: { 400: 'fields', 404: 'detail', 502: 'detail', 504: 'detail' },
    response: SchemaPageResponse,
    rate: { bucket: 'data-source-schema', perMinute: 60 },
  })
  async schema(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Query() query: SchemaPageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SchemaPageResponse> {
    const at = toPageRequest(query);
    const { schema, search } = query;
    const asked = { schema, search, limit: at.pageSize, offset: (at.page - 1) * at.pageSize };
    const { count, items } = await this.schemas
      .list(viewer.userId, id, asked, untilGone(response))
      .catch(throwAsDomainError);
    return toPageResponse({ count, items: items.map(toTableResponse) }, at, request);
  }
}
