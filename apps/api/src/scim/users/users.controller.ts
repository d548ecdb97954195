import { Public, type ScimClient, ScimUsers, ScimUserWrites } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post, Put, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { IntegerParam } from '../../http/params.js';
import { ListQuery, ProjectionQuery, sliceOf, toListResponse } from '../protocol/list-query.js';
import { applyPatch } from '../protocol/patch.js';
import { baseOf, project, type Resource } from '../protocol/resources.js';
import { ScimRoute } from '../protocol/scim-route.js';
import { CurrentDirectory, ScimGuard } from '../scim.guard.js';
import { readUser, toPatchable, toUserResource, USER_PATCH } from './user-resource.js';
import { PartOf } from '../../http/part-of.js';

@ApiTags('SCIM')
@Public()
@UseGuards(ScimGuard)
@PartOf('sso_scim')
@Controller('scim/v2')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsers,
    private readonly writes: ScimUserWrites,
  ) {}

  @Get('Users')
  @ScimRoute({
    summary: 'Users of the organisation',
    description: 'A page of users, filtered as RFC 7644, section 3.4.2.2, says.',
    gives: 'A ListResponse',
  })
  async list(
    @CurrentDirectory() client: ScimClient,
    @Query() query: ListQuery,
    @Req() request: Request,
  ): Promise<Resource> {
    const slice = sliceOf(query);
    const { total, rows } = await this.users.list(client, query.filter, slice);
    const base = baseOf(request);
    return toListResponse(
      total,
      slice,
      rows.map((row) => project(toUserResource(row, base), query)),
    );
  }

  @Get('Users/:id')
  @ScimRoute({ summary: 'One user', description: '404 for users of other organisations.', gives: 'A User' })
  async get(
    @CurrentDirectory() client: ScimClient,
    @IntegerParam('id') id: number,
    @Query() query: ProjectionQuery,
    @Req() request: Request,
  ): Promise<Resource> {
    return project(toUserResource(await this.users.get(client, id), baseOf(request)), query);
  }

  @Post('Users')
  @ScimRoute({
    summary: 'Provision a user',
    description:
      'An account that signs in with the provider of the organisation. 409 where the name or the address is taken.',
    gives: 'The User',
    status: 201,
    errors: [403, 409],
    takesBody: true,
  })
  async create(
    @CurrentDirectory() client: ScimClient,
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Resource> {
    const id = await this.writes.create(client, readUser(body, true));
    const base = baseOf(request);
    response.setHeader('Location', `${base}/Users/${id}`);
    return toUserResource(await this.users.get(client, id), base);
  }

  @Put('Users/:id')
  @ScimRoute({
    summary: 'Replace a user',
    description: '`active: false` deactivates: sessions end, and work under way stops.',
    gives: 'The User',
    errors: [403, 409],
    takesBody: true,
  })
  async replace(
    @CurrentDirectory() client: ScimClient,
    @IntegerParam('id') id: number,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<Resource> {
    await this.writes.update(client, id, (row) => readUser(body, row.is_active));
    return toUserResource(await this.users.get(client, id), baseOf(request));
  }

  @Patch('Users/:id')
  @ScimRoute({
    summary: 'Change a user',
    description: 'Changes what the operations name (RFC 7644, section 3.5.2); `active: false` deactivates.',
    gives: 'The User',
    errors: [403, 409],
    takesBody: true,
  })
  async patch(
    @CurrentDirectory() client: ScimClient,
    @IntegerParam('id') id: number,
    @Body() body: unknown,
    @Req() request: Request,
  ): Promise<Resource> {
    await this.writes.update(client, id, (row) =>
      readUser(applyPatch(toPatchable(row), body, USER_PATCH), row.is_active),
    );
    return toUserResource(await this.users.get(client, id), baseOf(request));
  }

  @Delete('Users/:id')
  @ScimRoute({
    summary: 'Deactivate a user and take it out of the organisation',
    description: 'Sessions end, and work under way stops. What the person has stays.',
    gives: null,
  })
  async remove(@CurrentDirectory() client: ScimClient, @IntegerParam('id') id: number): Promise<void> {
    await this.writes.remove(client, id);
  }
}
