import { CurrentUser, type Principal } from '@app/auth';
import { WorkflowTags } from '@app/workflows';
import { Body, Controller, Delete, Get, Patch, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
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
@PartOf('flowapps')
@Controller('microservices/workflow')
export class TagsController {
  constructor(private readonly tags: WorkflowTags) {}

  @Get('tags/')
  @Route({
    summary: 'List your tags',
    description: 'Tags are of one person; collaborators do not see them.',
    scope: 'workflows:read',
    response: [TagResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<TagResponse[]> {
    return (await this.tags.list(viewer.userId)).map(toTagResponse);
  }

  @Post('tags/')
  @Route({
    summary: 'Make a tag',
    description: 'A name and a colour for your own workflows and those shared with you. A name exists once.',
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
  @Route({
    summary: 'Change a tag',
    description: 'Its name or colour, for every workflow that has it.',
    errors: 'fields',
    scope: 'workflows:write',
    response: TagResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @UuidParam('tagId') tagId: string,
    @Body() body: UpdateTagRequest,
  ): Promise<TagResponse> {
    return toTagResponse(await this.tags.update(viewer.userId, tagId, body));
  }

  @Delete('tags/:tagId/')
  @Route({
    summary: 'Delete a tag',
    description: 'The workflows that had it stay.',
    scope: 'workflows:write',
    response: null,
  })
  async delete(@CurrentUser() viewer: Principal, @UuidParam('tagId') tagId: string): Promise<void> {
    await this.tags.delete(viewer.userId, tagId);
  }

  @Put(':id/tags/')
  @Route({
    summary: 'Say which of your tags a workflow has',
    description: 'Replaces the tags that it had of yours; those of other people stay.',
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
