import { CurrentUser, type Principal } from '@app/auth';
import { WorkflowTags } from '@app/workflows';
import { Body, Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { Route } from '../../http/route.js';
import {
  CreateTagRequest,
  TaggedWorkflowResponse,
  TagResponse,
  TagWorkflowRequest,
  toTagResponse,
  UpdateTagRequest,
} from './tags.dto.js';

/** Tags are private: the same workflow has others for each of its viewers. */
@ApiTags('Workflow tags')
@Controller('microservices/workflow')
export class TagsController {
  constructor(private readonly tags: WorkflowTags) {}

  @Get('tags/')
  @Route({ summary: 'List your tags', scope: 'workflows:read', response: [TagResponse] })
  async list(@CurrentUser() viewer: Principal): Promise<TagResponse[]> {
    return (await this.tags.list(viewer.userId)).map(toTagResponse);
  }

  @Post('tags/')
  @Route({
    summary: 'Make a tag',
    errors: 'fields',
    scope: 'workflows:write',
    response: TagResponse,
    status: 201,
    startsSomething: true,
  })
  async create(@CurrentUser() viewer: Principal, @Body() body: CreateTagRequest): Promise<TagResponse> {
    return toTagResponse(await this.tags.create(viewer.userId, body));
  }

  @Patch('tags/:tagId/')
  @Route({ summary: 'Change a tag', errors: 'fields', scope: 'workflows:write', response: TagResponse })
  async update(
    @CurrentUser() viewer: Principal,
    @UuidParam('tagId') tagId: string,
    @Body() body: UpdateTagRequest,
  ): Promise<TagResponse> {
    return toTagResponse(await this.tags.update(viewer.userId, tagId, body));
  }

  @Delete('tags/:tagId/')
  @Route({ summary: 'Delete a tag', scope: 'workflows:write', response: null })
  async delete(@CurrentUser() viewer: Principal, @UuidParam('tagId') tagId: string): Promise<void> {
    await this.tags.delete(viewer.userId, tagId);
  }

  @Put(':id/tags/')
  @Route({
    summary: 'Say which of your tags a workflow has',
    errors: 'fields',
    scope: 'workflows:write',
    response: TaggedWorkflowResponse,
  })
  async replace(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { tag_ids }: TagWorkflowRequest,
  ): Promise<TaggedWorkflowResponse> {
    return { workflow_id: id, tags: await this.tags.replaceOn(viewer.userId, id, [...new Set(tag_ids)]) };
  }
}
