import { CurrentUser, MemberList, OrganizationMembers, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { toPageRequest, toPageResponse } from '../http/pagination.js';
import { IntegerParam } from '../http/params.js';
import { Route } from '../http/route.js';
import { CurrentOrganizations } from './current-organizations.js';
import {
  ChangeRoleRequest,
  MemberPage,
  MemberResponse,
  MembersQuery,
  OrganizationResponse,
  TransferOwnershipRequest,
} from './organizations.dto.js';
import { PartOf } from '../http/part-of.js';

/** Who belongs to the organisation, and as what (docs/contract/organisations.md#members). */
@ApiTags('Organisations')
@PartOf('rbac')
@Controller('organisations/current')
export class OrganizationMembersController {
  constructor(
    private readonly list: MemberList,
    private readonly members: OrganizationMembers,
    private readonly current: CurrentOrganizations,
  ) {}

  @Get('members/')
  @Route({
    summary: 'List the people of my organisation',
    description:
      'With their roles, by name. Who has not confirmed the address, and who was deactivated, is shown to owners and admins alone.',
    errors: { 400: 'fields', 404: 'detail' },
    response: MemberPage,
  })
  async listMembers(
    @CurrentUser() viewer: Principal,
    @Query() query: MembersQuery,
    @Req() request: Request,
  ): Promise<MemberPage> {
    const at = toPageRequest(query);
    return toPageResponse(await this.list.list(viewer, query, at), at, request);
  }

  @Delete('members/me/')
  @Route({
    summary: 'Leave my organisation',
    description:
      'What is yours stays yours, in a personal organisation. 409 `last_owner` while nobody else owns the organisation.',
    errors: { 404: 'detail', 409: 'detail' },
    response: null,
  })
  leave(@CurrentUser() viewer: Principal): Promise<void> {
    return this.members.leave(viewer);
  }

  @Patch('members/:userId/')
  @Route({
    summary: 'Give somebody of my organisation another role',
    description:
      'Owners give every role, admins those of members and viewers to members and viewers; everybody may step down. 409 `last_owner` for the only owner.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: MemberResponse,
  })
  changeRole(
    @CurrentUser() viewer: Principal,
    @IntegerParam('userId') userId: number,
    @Body() { role }: ChangeRoleRequest,
  ): Promise<MemberResponse> {
    return this.members.changeRole(viewer, userId, role);
  }

  @Delete('members/:userId/')
  @Route({
    summary: 'Take somebody out of my organisation',
    description:
      'What is theirs stays theirs, in a personal organisation, and their sessions go on. Admins take out members and viewers, owners everybody.',
    errors: { 404: 'detail', 409: 'detail' },
    response: null,
  })
  remove(@CurrentUser() viewer: Principal, @IntegerParam('userId') userId: number): Promise<void> {
    return this.members.remove(viewer, userId);
  }

  @Post('transfer-ownership/')
  @Route({
    summary: 'Hand my organisation over',
    feature: 'core',
    open: true,
    description:
      'The receiver becomes an owner, and the plan of the organisation is theirs to pay and change; you become an admin.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationResponse,
  })
  async transfer(
    @CurrentUser() viewer: Principal,
    @Body() { user_id: userId }: TransferOwnershipRequest,
  ): Promise<OrganizationResponse> {
    await this.members.transferOwnership(viewer, userId);
    return this.current.show(viewer);
  }
}
