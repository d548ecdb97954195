import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Route } from '../http/route.js';
import {
  CreateOrganizationSecretRequest,
  OrganizationSecretResponse,
  toOrganizationSecretResponse,
  UpdateOrganizationSecretRequest,
} from './organization-secrets.dto.js';
import { SecretsOfOrganizations } from './secrets-of-organizations.js';
import { PartOf } from '../http/part-of.js';

/** Values that nodes of all workflows of an organisation name as `{{_secret.<name>}}` (docs/contract/organisations.md#secrets). */
@ApiTags('Organisations')
@PartOf('global_secrets')
@Controller('organisations/current/secrets')
export class OrganizationSecretsController {
  constructor(private readonly secrets: SecretsOfOrganizations) {}

  @Get()
  @Route({
    summary: 'List the secrets of my organisation',
    description: 'Their names and hosts, never their values.',
    errors: { 404: 'detail' },
    response: [OrganizationSecretResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<OrganizationSecretResponse[]> {
    return (await this.secrets.list(viewer)).map(toOrganizationSecretResponse);
  }

  // No Idempotency-Key: its record would hold a hash of the value. A repetition answers 409.
  @Post()
  @Route({
    summary: 'Add a secret to my organisation',
    description:
      '100 per organisation, by its owners and admins. Nodes of workflows whose owner is in the organisation name it as `{{_secret.<name>}}`; a secret of the workflow itself with that name wins.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationSecretResponse,
    status: 201,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @Body() body: CreateOrganizationSecretRequest,
  ): Promise<OrganizationSecretResponse> {
    return toOrganizationSecretResponse(await this.secrets.create(viewer, body));
  }

  @Put(':name/')
  @Route({
    summary: 'Change a secret of my organisation',
    description: 'What is absent stays; nodes that start from now on get the new value. For its owners and admins.',
    errors: { 400: 'fields', 404: 'detail', 409: 'detail' },
    response: OrganizationSecretResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @Param('name') name: string,
    @Body() { value, description, hosts }: UpdateOrganizationSecretRequest,
  ): Promise<OrganizationSecretResponse> {
    return toOrganizationSecretResponse(await this.secrets.update(viewer, name, { value, description, hosts }));
  }

  @Delete(':name/')
  @Route({
    summary: 'Delete a secret of my organisation',
    description: 'Nodes that name it fail from now on. For its owners and admins.',
    errors: { 404: 'detail', 409: 'detail' },
    response: null,
  })
  delete(@CurrentUser() viewer: Principal, @Param('name') name: string): Promise<void> {
    return this.secrets.delete(viewer, name);
  }
}
