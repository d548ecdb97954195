import { ArtifactChanges, ArtifactRemoval, Artifacts } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import {
  ArtifactImpactResponse,
  ArtifactResponse,
  ArtifactsQuery,
  ArtifactsResponse,
  DeletedArtifactResponse,
  DuplicateArtifactRequest,
  NewVersionResponse,
  RenameArtifactRequest,
  RestoreArtifactRequest,
  toArtifactResponse,
  toDeletedResponse,
  toImpactResponse,
  toNewVersionResponse,
  toVersionsResponse,
  VersionsResponse,
} from './artifacts.dto.js';

/** docs/contract/artifacts.md. Ids are opaque: what names nothing is a 404. */
@ApiTags('Artifacts')
@PartOf('dashboards')
@Controller('microservices/artifacts')
export class ArtifactsController {
  constructor(
    private readonly artifacts: Artifacts,
    private readonly changes: ArtifactChanges,
    private readonly removal: ArtifactRemoval,
  ) {}

  @Get()
  @Route({
    summary: 'List my artifacts',
    description: 'Newest first, without their pages: all of them, or with `limit` page by page.',
    errors: 'fields',
    response: ArtifactsResponse,
  })
  async list(
    @CurrentUser() { userId }: Principal,
    @Query() { limit, cursor }: ArtifactsQuery,
  ): Promise<ArtifactsResponse> {
    const found = await this.artifacts.list(userId, { ...(limit && { limit: limit + 1 }), before: cursor ?? null });
    const page = found.slice(0, limit);
    const next = found.length > page.length ? page.at(-1)!.id : null;
    return { artifacts: page.map(toArtifactResponse), next_cursor: next };
  }

  @Get(':id/')
  @Route({
    summary: 'Get an artifact',
    description: 'Without its page. 403 where a board shows it to you, but it is not yours.',
    response: ArtifactResponse,
  })
  async get(@CurrentUser() { userId }: Principal, @Param('id') id: string): Promise<ArtifactResponse> {
    return toArtifactResponse(await this.artifacts.get(userId, id));
  }

  @Patch(':id/')
  @Route({
    summary: 'Rename an artifact',
    description: 'As its next version. Its conversation, and tiles without a title of their own, follow the name.',
    errors: { 400: 'fields', 409: 'detail' },
    response: NewVersionResponse,
  })
  async rename(
    @CurrentUser() user: Principal,
    @Param('id') id: string,
    @Body() { title }: RenameArtifactRequest,
  ): Promise<NewVersionResponse> {
    return toNewVersionResponse(await this.changes.rename(user, id, title));
  }

  @Delete(':id/')
  @Route({
    summary: 'Delete an artifact',
    description: 'For good, with its versions, links, tiles and conversations. Boards stay.',
    response: DeletedArtifactResponse,
  })
  async delete(@CurrentUser() user: Principal, @Param('id') id: string): Promise<DeletedArtifactResponse> {
    return toDeletedResponse(id.toLowerCase(), await this.removal.delete(user, id));
  }

  @Get(':id/delete-impact/')
  @Route({
    summary: 'What deleting an artifact takes along',
    description: 'Versions, conversations with their files, tiles and links.',
    response: ArtifactImpactResponse,
  })
  async deleteImpact(@CurrentUser() { userId }: Principal, @Param('id') id: string): Promise<ArtifactImpactResponse> {
    return toImpactResponse(id.toLowerCase(), await this.removal.report(userId, id));
  }

  @Get(':id/versions/')
  @Route({
    summary: 'List the versions of an artifact',
    description: 'Newest first. A hundred are kept, and those that a tile shows.',
    response: VersionsResponse,
  })
  async versions(@CurrentUser() { userId }: Principal, @Param('id') id: string): Promise<VersionsResponse> {
    return toVersionsResponse(id.toLowerCase(), await this.artifacts.listVersions(userId, id));
  }

  @Post(':id/restore/')
  @Route({
    summary: 'Restore a version of an artifact',
    description: 'As its next version, byte for byte, title included. 404 for one that is not kept.',
    errors: 'fields',
    response: NewVersionResponse,
    startsSomething: true,
  })
  async restore(
    @CurrentUser() user: Principal,
    @Param('id') id: string,
    @Body() { version }: RestoreArtifactRequest,
  ): Promise<NewVersionResponse> {
    return toNewVersionResponse(await this.changes.restore(user, id, version));
  }

  @Post(':id/duplicate/')
  @Route({
    bodyOptional: true,
    summary: 'Duplicate an artifact',
    description: 'Its latest version as the first one of an artifact with a history of its own.',
    errors: 'fields',
    response: ArtifactResponse,
    startsSomething: true,
  })
  async duplicate(
    @CurrentUser() user: Principal,
    @Param('id') id: string,
    @Body() { title }: DuplicateArtifactRequest,
  ): Promise<ArtifactResponse> {
    return toArtifactResponse(await this.changes.duplicate(user, id, title ?? null));
  }
}
