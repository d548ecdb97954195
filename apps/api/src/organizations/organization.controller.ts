import { CurrentUser, Organizations, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Route } from '../http/route.js';
import { CurrentOrganizations } from './current-organizations.js';
import { OrganizationResponse, NameOrganizationRequest } from './organizations.dto.js';
import { PartOf } from '../http/part-of.js';

/** The organisation that the caller belongs to (docs/contract/organisations.md). */
@ApiTags('Organisations')
@PartOf('core')
@Controller('organisations')
export class OrganizationController {
  constructor(
    private readonly organizations: Organizations,
    private readonly current: CurrentOrganizations,
  ) {}

  @Get('current/')
  @Route({
    summary: 'Show my organisation',
    description: 'Its name, what you are in it, its people and seats, and its plan. 404 `no_organization` without one.',
    errors: { 404: 'detail' },
    response: OrganizationResponse,
  })
  show(@CurrentUser() viewer: Principal): Promise<OrganizationResponse> {
    return this.current.show(viewer);
  }

  @Post()
  @Route({
    summary: 'Make a shared organisation',
    description:
      'Of your personal one, with you as its owner; then invite others. 409 `other_organization` for who belongs to a shared one, 403 `address_not_confirmed`.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    status: 201,
    response: OrganizationResponse,
    startsSomething: true,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @Body() { name }: NameOrganizationRequest,
  ): Promise<OrganizationResponse> {
    await this.organizations.create(viewer, name);
    return this.current.show(viewer);
  }

  @Patch('current/')
  @Route({
    summary: 'Rename my organisation',
    description: 'For its owners.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationResponse,
  })
  async rename(
    @CurrentUser() viewer: Principal,
    @Body() { name }: NameOrganizationRequest,
  ): Promise<OrganizationResponse> {
    await this.organizations.rename(viewer, name);
    return this.current.show(viewer);
  }

  @Delete('current/')
  @Route({
    summary: 'End my organisation',
    description:
      'For its owner, once nobody else belongs to it: you get a personal one, and its secrets, invitations and models go. 409 says what is in the way.',
    errors: { 404: 'detail', 409: 'detail' },
    status: 204,
    response: null,
  })
  async dissolve(@CurrentUser() viewer: Principal): Promise<void> {
    await this.organizations.dissolve(viewer);
  }
}
