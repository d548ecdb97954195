import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { CreateSecretRequest, SecretResponse, toSecretResponse, UpdateSecretRequest } from './workflow-secrets.dto.js';
import { WorkflowSecretsService } from './workflow-secrets.service.js';

const scope = 'workflows:write';

/** Values that nodes name as `{{_secret.<name>}}` and that nobody gets to see. */
@ApiTags('Workflow secrets')
@PartOf('flowapps')
@Controller('microservices/workflow/:id/secrets')
export class WorkflowSecretsController {
  constructor(private readonly secrets: WorkflowSecretsService) {}

  @Get('/')
  @Route({
    summary: 'List the secrets of a workflow',
    description: 'Their names, never their values. For those who may edit the workflow.',
    scope,
    response: [SecretResponse],
  })
  async list(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<SecretResponse[]> {
    return (await this.secrets.list(viewer, id)).map(toSecretResponse);
  }

  // No Idempotency-Key: its record would hold a hash of the value. A repetition answers 409.
  @Post('/')
  @Route({
    summary: 'Add a secret to a workflow',
    description:
      '50 per workflow. Nodes name it as `{{_secret.<name>}}` within a text, or as `{"$ref": "_secret.<name>"}`; the value is ' +
      'filled in when the node starts, and taken out of what the node hands on.',
    scope,
    errors: { 400: 'fields', 409: 'detail' },
    response: SecretResponse,
    status: 201,
  })
  async create(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: CreateSecretRequest,
  ): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.create(viewer, id, body));
  }

  @Get(':name/')
  @Route({
    summary: 'Show a secret without its value',
    description: 'Its name and when it was last changed. No call shows a value.',
    scope,
    response: SecretResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Param('name') name: string,
  ): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.get(viewer, id, name));
  }

  @Put(':name/')
  @Route({
    summary: 'Set a secret anew',
    description: 'Nodes that start from now on get the new value.',
    scope,
    errors: 'fields',
    response: SecretResponse,
  })
  async update(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Param('name') name: string,
    @Body() { value, description }: UpdateSecretRequest,
  ): Promise<SecretResponse> {
    return toSecretResponse(await this.secrets.update(viewer, id, name, { value, description }));
  }

  @Delete(':name/')
  @Route({ summary: 'Delete a secret', description: 'Nodes that name it fail from now on.', scope, response: null })
  async delete(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Param('name') name: string,
  ): Promise<void> {
    await this.secrets.delete(viewer, id, name);
  }
}
