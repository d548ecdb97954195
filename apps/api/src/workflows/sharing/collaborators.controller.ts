import { CurrentUser, type Principal } from '@app/auth';
import { WorkflowCollaborators } from '@app/workflows';
import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam, UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SlowLimiter } from '../../http/slow-limiter.js';
import { CollaboratorResponse, toCollaboratorResponse } from '../workflow-record.dto.js';
import {
  AddCollaboratorsRequest,
  AddedCollaboratorsResponse,
  ChangeCollaboratorRequest,
  toAddedCollaboratorsResponse,
} from './sharing.dto.js';
import { SHARING } from './sharing-limit.js';

/** Who works on a workflow beside its owner (docs/contract/workflows.md#sharing). */
@ApiTags('Workflow sharing')
@PartOf('flowapps')
@Controller('microservices/workflow/:id/collaborators')
export class CollaboratorsController {
  constructor(
    private readonly collaborators: WorkflowCollaborators,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get()
  @Route({
    summary: 'List collaborators',
    description: 'Who has which role, for everybody who may see the workflow.',
    scope: 'workflows:read',
    response: [CollaboratorResponse],
  })
  async list(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<CollaboratorResponse[]> {
    return (await this.collaborators.list(viewer.userId, id)).map(toCollaboratorResponse);
  }

  @Post()
  @Route({
    summary: 'Add collaborators, or change their role',
    description: 'People who are there already get the role. Only the owner may.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: AddedCollaboratorsResponse,
    startsSomething: true,
  })
  async add(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { emails, role }: AddCollaboratorsRequest,
  ): Promise<AddedCollaboratorsResponse> {
    await this.limiter.hit(SHARING, String(viewer.userId));
    return toAddedCollaboratorsResponse(await this.collaborators.add(viewer, id, emails, role));
  }

  @Patch(':userId/')
  @Route({
    summary: 'Change the role of a collaborator',
    description: 'Only the owner may. It counts at once, also on open sockets.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: CollaboratorResponse,
  })
  async change(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('userId') userId: number,
    @Body() { role }: ChangeCollaboratorRequest,
  ): Promise<CollaboratorResponse> {
    return toCollaboratorResponse(await this.collaborators.changeRole(viewer, id, userId, role));
  }

  @Delete(':userId/')
  @Route({
    summary: 'Remove a collaborator, or leave',
    description: 'Closes the sockets of that person.',
    scope: 'workflows:write',
    response: null,
  })
  async remove(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @IntegerParam('userId') userId: number,
  ): Promise<void> {
    await this.collaborators.remove(viewer, id, userId);
  }
}
