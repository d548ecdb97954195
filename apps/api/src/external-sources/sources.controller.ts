import { CurrentUser, type Principal } from '@app/auth';
import { type SourceDraft, SourceRemoval, SourceRows, SourcesService } from '@app/documents';
import { Body, Controller, Delete, Get, Post, Put, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { SourceTrial } from './source-trial.js';
import {
  CreateSourceRequest,
  DeleteSourceQuery,
  SourceDeletedResponse,
  SourceItemPage,
  SourceItemsQuery,
  SourceResponse,
  SourceTestResponse,
  toSourceItemResponse,
  toSourceResponse,
  UpdateSourceRequest,
} from './source.dto.js';

const scope = 'documents:write';

/** Buckets, databases and drives from which documents are imported. */
@ApiTags('External sources')
@PartOf('data_integration')
@Controller('semantic-search/sources')
export class SourcesController {
  constructor(
    private readonly sources: SourcesService,
    private readonly rows: SourceRows,
    private readonly trial: SourceTrial,
    private readonly removal: SourceRemoval,
  ) {}

  @Get('/')
  @Route({
    summary: 'List my external sources',
    description: 'With the state of each and how its last import ended. Secrets are never shown.',
    scope,
    response: [SourceResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<SourceResponse[]> {
    return (await this.rows.list(viewer.userId)).map(toSourceResponse);
  }

  @Post('/')
  @Route({
    summary: 'Add an external source',
    description: 'Ten per account. Folders of the server are for staff. Nothing is imported before the first sync.',
    scope,
    errors: 'fields',
    response: SourceResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateSourceRequest): Promise<SourceResponse> {
    return toSourceResponse(await this.sources.create(viewer, body.type, toDraft(body)));
  }

  @Get(':id/')
  @Route({
    summary: 'Show an external source',
    description: 'Its settings and how its last import ended; its secret is never shown. 404 for sources of others.',
    scope,
    response: SourceResponse,
  })
  async get(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<SourceResponse> {
    return toSourceResponse(await this.rows.get(viewer.userId, id));
  }

  @Put(':id/')
  @Route({
    summary: 'Change an external source',
    description:
      'The type stays. A sync under way is broken off. Where the secret would go to another address or account, it has to ' +
      'be given again (`secret_required`).',
    scope,
    errors: 'fields',
    response: SourceResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: UpdateSourceRequest,
  ): Promise<SourceResponse> {
    return toSourceResponse(await this.sources.update(viewer, id, toDraft(body)));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete an external source',
    description: 'Its documents stay, or go into the trash with `documents=trash`.',
    scope,
    response: SourceDeletedResponse,
  })
  async remove(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { documents }: DeleteSourceQuery,
  ): Promise<SourceDeletedResponse> {
    return { status: 'deleted', id, trashed: await this.removal.remove(viewer, id, documents) };
  }

  @Post(':id/test/')
  @Route({
    summary: 'Try whether an external source can be read',
    description: 'Always 200, within 20 seconds.',
    scope,
    response: SourceTestResponse,
    rate: { bucket: 'source-test', perMinute: 20 },
  })
  async test(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<SourceTestResponse> {
    return this.trial.run(viewer, id);
  }

  @Post(':id/sync/')
  @Route({
    summary: 'Import what is new or has changed',
    description: 'While a sync is under way, that one is answered.',
    scope,
    response: SourceResponse,
    status: 202,
    startsSomething: true,
  })
  async sync(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<SourceResponse> {
    return toSourceResponse(await this.sources.sync(viewer, id));
  }

  @Get(':id/items/')
  @Route({
    summary: 'List what an external source has',
    description: 'The files that were found there, with the document that each has become.',
    scope,
    response: SourceItemPage,
  })
  async items(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() query: SourceItemsQuery,
    @Req() request: Request,
  ): Promise<SourceItemPage> {
    await this.rows.get(viewer.userId, id);
    const at = toPageRequest(query);
    const page = await this.rows.listItems(id, at, query.state ?? null);
    return toPageResponse({ ...page, items: page.items.map(toSourceItemResponse) }, at, request);
  }
}

function toDraft({ name, config, secret, folder, ocr, schedule_minutes = null }: UpdateSourceRequest): SourceDraft {
  return { name, config, folder, ocr, scheduleMinutes: schedule_minutes, ...(secret ? { secret } : {}) };
}
