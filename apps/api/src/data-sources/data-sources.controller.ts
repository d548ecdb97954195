import { CurrentUser, type Principal } from '@app/auth';
import { DataSourceEdits, DataSources } from '@app/data-sources';
import { Body, Controller, Delete, Get, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  CreateDataSourceRequest,
  DataSourceResponse,
  toDataSourceDraft,
  toDataSourceResponse,
  UpdateDataSourceRequest,
} from './data-source.dto.js';

/** The databases that a person connects (docs/contract/data-sources.md). */
@ApiTags('Data sources')
@PartOf('data_integration')
@Controller('microservices/data-sources')
export class DataSourcesController {
  constructor(
    private readonly sources: DataSources,
    private readonly edits: DataSourceEdits,
  ) {}

  @Get('/')
  @Route({
    summary: 'List my data sources',
    description: 'Newest first, with the state of each. Secrets are never shown.',
    response: [DataSourceResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<DataSourceResponse[]> {
    return (await this.sources.list(viewer.userId)).map(toDataSourceResponse);
  }

  @Post('/')
  @Route({
    summary: 'Connect a database',
    description: 'Twenty per account. It is read only; nothing is connected before the first test or query.',
    errors: 'fields',
    response: DataSourceResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateDataSourceRequest): Promise<DataSourceResponse> {
    return toDataSourceResponse(await this.edits.create(viewer, toDataSourceDraft(body)));
  }

  @Get(':id/')
  @Route({
    summary: 'Show a data source',
    description: 'Its connection and state, without its secret. 404 for sources of others.',
    response: DataSourceResponse,
  })
  async get(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<DataSourceResponse> {
    return toDataSourceResponse(await this.sources.get(viewer.userId, id));
  }

  @Put(':id/')
  @Route({
    summary: 'Change a data source',
    description:
      'What is absent stays. A change of the connection resets the status; one of host, port, database or user, and ' +
      'weaker encryption, require the secret anew.',
    errors: 'fields',
    response: DataSourceResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() body: UpdateDataSourceRequest,
  ): Promise<DataSourceResponse> {
    return toDataSourceResponse(await this.edits.update(viewer, id, toDataSourceDraft(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Disconnect a database',
    description: 'Pages and charts that read it say so from then on; the database itself is left as it is.',
    response: null,
  })
  async delete(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<void> {
    await this.edits.delete(viewer, id);
  }
}
