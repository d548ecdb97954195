import { CurrentUser, type Principal } from '@app/auth';
import { RunHistory, RunRetry } from '@app/workflows';
import { Body, Controller, Delete, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../../http/pagination.js';
import { IntegerParam, UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  HistoryQuery,
  RetryRunRequest,
  RetriedRunResponse,
  RunDetailResponse,
  RunPageResponse,
  toRunDetailResponse,
  toRunResponse,
} from './history.dto.js';

/** docs/contract/workflows.md#history. */
@ApiTags('Workflow history')
@PartOf('flowapps')
@Controller('microservices/workflow/:id/history')
export class HistoryController {
  constructor(
    private readonly history: RunHistory,
    private readonly retries: RunRetry,
  ) {}

  @Get()
  @Route({
    summary: 'List the runs of a workflow',
    description: 'Newest first.',
    errors: 'fields',
    scope: 'workflows:read',
    response: RunPageResponse,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() query: HistoryQuery,
    @Req() request: Request,
  ): Promise<RunPageResponse> {
    const at = toPageRequest(query);
    const { count, items } = await this.history.list(viewer.userId, id, query, at);
    return toPageResponse({ count, items: items.map(toRunResponse) }, at, request);
  }

  @Get(':version/')
  @Route({
    summary: 'Get a run',
    description:
      'What started it, how it ended and what each node made. 404 for runs of workflows that are not shared with you.',
    scope: 'workflows:read',
    response: RunDetailResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('version') version: number,
  ): Promise<RunDetailResponse> {
    return toRunDetailResponse(await this.history.get(viewer.userId, id, version));
  }

  @Delete(':version/')
  @Route({
    summary: 'Delete a run with its outputs',
    description: 'For the owner; a run that is active has to be stopped first: 409 `run_active`.',
    errors: { 409: 'detail' },
    scope: 'workflows:write',
    response: null,
  })
  async delete(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('version') version: number,
  ): Promise<void> {
    await this.history.delete(viewer.userId, id, version);
  }

  @Post(':version/retry/')
  @Route({
    bodyOptional: true,
    summary: 'Run it once more',
    description:
      'With the same payload. 409 while a run is active, or when the newest definition lacks finished nodes.',
    errors: 'fields',
    scope: 'workflows:run',
    response: RetriedRunResponse,
    startsSomething: true,
  })
  async retry(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('version') version: number,
    @Body() { from, spec, save_outputs: saveOutputs }: RetryRunRequest,
  ): Promise<RetriedRunResponse> {
    const started = await this.retries.retry(viewer.userId, id, version, { from, spec, saveOutputs });
    return { message: 'Workflow run started.', version: started.version, nodes_reused: started.nodesReused };
  }
}
