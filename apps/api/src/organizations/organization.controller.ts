import { CurrentUser, Organizations, type Principal } from '@app/auth';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Route } from '../http/route.js';
import { CurrentOrganizations } from './current-organizations.js';
import { OrganizationResponse, UpdateOrganizationRequest } from './organizations.dto.js';
import { PartOf } from '../http/part-of.js';

/** The organisation that the caller belongs to (docs/contract/organisations.md). */
@ApiTags('Organisations')
@PartOf('core')
@Controller('organisations/current')
export class OrganizationController {
  constructor(
    private readonly organizations: Organizations,
    private readonly current: CurrentOrganizations,
  ) {}

  @Get()
  @Route({
    summary: 'Show my organisation',
    description: 'Its name, what you are in it, its people and seats, and its plan. 404 `no_organization` without one.',
    errors: { 404: 'detail' },
    response: OrganizationResponse,
  })
  show(@CurrentUser() viewer: Principal): Promise<OrganizationResponse> {
    return this.current.show(viewer);
  }

  @Patch()
  @Route({
    summary: 'Rename my organisation',
    description: 'For its owners.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationResponse,
  })
  async rename(
    @CurrentUser() viewer: Principal,
    @Body() { name }: UpdateOrganizationRequest,
  ): Promise<OrganizationResponse> {
    await this.organizations.rename(viewer, name);
    return this.current.show(viewer);
  }
}
