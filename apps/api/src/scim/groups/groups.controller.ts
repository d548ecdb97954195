import { Public, type ScimClient, ScimGroups } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { UuidParam } from '../../http/params.js';
import { ListQuery, ProjectionQuery, sliceOf, toListResponse } from '../protocol/list-query.js';
import { applyPatch } from '../protocol/patch.js';
import { baseOf, project, type Projection, type Resource } from '../protocol/resources.js';
import { ScimRoute } from '../protocol/scim-route.js';
import { CurrentDirectory, ScimGuard } from '../scim.guard.js';
import { GROUP_PATCH, readGroup, toGroupResource, toPatchable } from './group-resource.js';
import { PartOf } from '../../http/part-of.js';

/** They may be thousands, so they are read only when they are shown. */
const showsMembers = (projection: Projection) => 'members' in project({ members: true }, projection);

@ApiTags('SCIM')
@Public()
@UseGuards(ScimGuard)
@PartOf('sso_scim')
@Controller('scim/v2')
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroups) {}

  @Get('Groups')
  @ScimRoute({
    summary: 'Groups of the organisation',
    description: 'A page of groups, filtered as RFC 7644, section 3.4.2.2, says.',
    gives: 'A ListResponse',
  })
  async list(
    @CurrentDirectory() client: ScimClient,
    @Query() query: ListQuery,
    @Req() request: Request,
  ): Promise<Resource> {
    const slice = sliceOf(query);
    const { total, rows } = await this.groups.list(client, query.filter, slice, showsMembers(query));
    const base = baseOf(request);
    return toListResponse(
      total,
      slice,
      rows.map((row) => project(toGroupResource(row, base), query)),
    );
  }

  @Get('Groups/:id')
  @ScimRoute({
    summary: 'One group',
    description: 'With its members. 404 for groups of other organisations.',
    gives: 'A Group',
  })
  async get(
    @CurrentDirectory() client: ScimClient,
    @UuidParam('id') id: string,
    @Query() query: ProjectionQuery,
    @Req() request: Request,
  ): Promise<Resource> {
    const row = await this.groups.get(client, id, showsMembers(query));
    return project(toGroupResource(row, baseOf(request)), query);
  }

  @Post('Groups')
  @ScimRoute({
    summary: 'Create a group',
    description: 'With the members that are named, all of them people of the organisation.',
    gives: 'The Group',
    status: 201,
    errors: [409],
    takesBody: true,
  })
  async create(
    @CurrentDirectory() client: ScimClient,
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Resource> {
    const id = await this.groups.create(client, readGroup(body));
    const base = baseOf(request);
    response.setHeader('Location', `${base}/Groups/${id}`);
    return toGroupResource(await this.groups.get(client, id), base);
  }

  @Put('Groups/:id')
  @ScimRoute({
    summary: 'Replace a group',
    description: 'Its name and all of its members; who is not named is a member no more.',
    gives: 'The Group',
    errors: [409],
    takesBody: true,
  })
  async replace(
    @CurrentDirectory() client: ScimClient,
    @UuidParam('id') id: string,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<Resource> {
    const fields = readGroup(body);
    await this.groups.update(client, id, () => fields);
    return toGroupResource(await this.groups.get(client, id), baseOf(request));
  }

  @Patch('Groups/:id')
  @ScimRoute({
    summary: 'Change a group',
    description: 'Adds, removes or replaces what the operations name (RFC 7644, section 3.5.2).',
    gives: 'The Group',
    errors: [409],
    takesBody: true,
  })
  async patch(
    @CurrentDirectory() client: ScimClient,
    @UuidParam('id') id: string,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<Resource> {
    await this.groups.update(client, id, (row) => readGroup(applyPatch(toPatchable(row), body, GROUP_PATCH)));
    return toGroupResource(await this.groups.get(client, id), baseOf(request));
  }

  @Delete('Groups/:id')
  @ScimRoute({ summary: 'Remove a group; its members stay', description: 'Nobody is deactivated by it.', gives: null })
  async remove(@CurrentDirectory() client: ScimClient, @UuidParam('id') id: string): Promise<void> {
    await this.groups.remove(client, id);
  }
}
