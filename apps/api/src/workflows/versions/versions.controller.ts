import { CurrentUser, type Principal } from '@app/auth';
import { StaleRevisionError, WorkflowVersions } from '@app/workflows';
import { Body, Controller, Get, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { PageQuery, toPageRequest, toPageResponse } from '../../http/pagination.js';
import { IntegerParam, UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { toSaveConflict } from '../workflows.dto.js';
import {
  LabelVersionRequest,
  PublishedVersionResponse,
  RestoredVersionResponse,
  RestoreVersionRequest,
  toVersionDetailResponse,
  toVersionResponse,
  VersionDetailResponse,
  VersionDiffQuery,
  VersionDiffResponse,
  VersionPageResponse,
} from './versions.dto.js';

@ApiTags('Workflow versions')
@PartOf('flowapps')
@Controller('microservices/workflow/:id')
export class VersionsController {
  constructor(private readonly versions: WorkflowVersions) {}

  @Get('versions/')
  @Route({
    summary: 'List the versions of a workflow',
    description: 'Newest first. Every save makes one.',
    errors: 'fields',
    scope: 'workflows:read',
    response: VersionPageResponse,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() query: PageQuery,
    @Req() request: Request,
  ): Promise<VersionPageResponse> {
    const at = toPageRequest(query);
    const { count, items } = await this.versions.list(viewer.userId, id, at);
    return toPageResponse({ count, items: items.map(toVersionResponse) }, at, request);
  }

  @Get('versions/:revision/')
  @Route({
    summary: 'Get a version',
    description: 'The definition as it was saved at that revision, by whom and when.',
    scope: 'workflows:read',
    response: VersionDetailResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('revision') revision: number,
  ): Promise<VersionDetailResponse> {
    return toVersionDetailResponse(await this.versions.get(viewer.userId, id, revision));
  }

  @Patch('versions/:revision/')
  @Route({
    summary: 'Label a version',
    description: 'A version with a label is never thinned out.',
    errors: 'fields',
    scope: 'workflows:write',
    response: VersionDetailResponse,
  })
  async label(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('revision') revision: number,
    @Body() { label }: LabelVersionRequest,
  ): Promise<VersionDetailResponse> {
    return toVersionDetailResponse(await this.versions.label(viewer.userId, id, revision, label || null));
  }

  @Post('versions/:revision/restore/')
  @Route({
    bodyOptional: true,
    summary: 'Restore a version',
    description: 'Its content becomes a new revision; the ones in between stay.',
    errors: 'fields',
    scope: 'workflows:write',
    response: RestoredVersionResponse,
    startsSomething: true,
  })
  async restore(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('revision') revision: number,
    @Body() { expected_content_revision: expected }: RestoreVersionRequest,
  ): Promise<RestoredVersionResponse> {
    try {
      const { contentRevision, warning } = await this.versions.restore(viewer, id, revision, expected ?? undefined);
      return { message: 'Version restored.', content_revision: contentRevision, warning };
    } catch (error) {
      throw error instanceof StaleRevisionError ? toSaveConflict(error) : error;
    }
  }

  @Get('versions/:revision/diff/')
  @Route({
    summary: 'Compare two versions',
    description: 'Nodes that were added, removed and changed between this revision and another.',
    errors: 'fields',
    scope: 'workflows:read',
    response: VersionDiffResponse,
  })
  async diff(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('revision') revision: number,
    @Query() { to }: VersionDiffQuery,
  ): Promise<VersionDiffResponse> {
    const { layoutChanged, ...diff } = await this.versions.diff(viewer.userId, id, revision, to ?? null);
    return { ...diff, layout_changed: layoutChanged };
  }

  @Post('versions/:revision/publish/')
  @Route({
    summary: 'Publish a version',
    description: 'Webhooks and schedules run it from now on, whatever is saved later.',
    errors: 'fields',
    scope: 'workflows:write',
    response: PublishedVersionResponse,
  })
  async publish(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('revision') revision: number,
  ): Promise<PublishedVersionResponse> {
    await this.versions.publish(viewer, id, revision);
    return { message: 'Version published.', published_revision: revision };
  }

  @Post('unpublish/')
  @Route({
    summary: 'Publish no version',
    description: 'Webhooks and schedules run the newest revision again.',
    scope: 'workflows:write',
    response: PublishedVersionResponse,
    open: true,
  })
  async unpublish(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<PublishedVersionResponse> {
    await this.versions.unpublish(viewer, id);
    return { message: 'Webhooks and schedules run the newest revision.', published_revision: null };
  }
}
