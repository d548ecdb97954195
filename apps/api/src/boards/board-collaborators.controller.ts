import { BoardCollaborators } from '@app/artifacts';
import { CurrentUser, type Principal } from '@app/auth';
import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IntegerParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import type { SlowLimit } from '../http/slow-limiter.js';
import { SlowLimiter } from '../http/slow-limiter.js';
import {
  AddCollaboratorsRequest,
  AddedCollaboratorsResponse,
  ChangeCollaboratorRequest,
  toAddedCollaboratorsResponse,
} from '../workflows/sharing/sharing.dto.js';
import { CollaboratorResponse, toCollaboratorResponse } from '../workflows/workflow-record.dto.js';

/** Each one tells of up to 50 addresses whether they have an account. */
const SHARING: SlowLimit = { bucket: 'board-sharing', limit: 60, seconds: 3600 };

/** Who looks at a board, or changes it, beside its owner (docs/contract/boards.md#sharing). */
@ApiTags('Boards')
@PartOf('dashboards')
@Controller('microservices/boards/:id/collaborators')
export class BoardCollaboratorsController {
  constructor(
    private readonly collaborators: BoardCollaborators,
    private readonly limiter: SlowLimiter,
  ) {}

  @Get()
  @Route({
    summary: 'List the collaborators of a board',
    description: 'Who has which role, for its owner.',
    response: [CollaboratorResponse],
  })
  async list(@CurrentUser() viewer: Principal, @IntegerParam('id') id: number): Promise<CollaboratorResponse[]> {
    return (await this.collaborators.list(viewer.userId, id)).map(toCollaboratorResponse);
  }

  @Post()
  @Route({
    summary: 'Share a board',
    description: 'People who are there already get the role. Only the owner may; nobody is invited by this.',
    errors: 'fields+error',
    response: AddedCollaboratorsResponse,
    startsSomething: true,
  })
  async add(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @Body() { emails, role }: AddCollaboratorsRequest,
  ): Promise<AddedCollaboratorsResponse> {
    await this.limiter.hit(SHARING, String(viewer.userId));
    const { added, updated, notFound } = await this.collaborators.add(viewer, id, emails, role);
    return toAddedCollaboratorsResponse({ added, updated, invited: [], notFound });
  }

  @Patch(':userId/')
  @Route({
    summary: 'Change the role of somebody on a board',
    description: 'Only the owner may. It counts at the next request.',
    errors: 'fields+error',
    response: CollaboratorResponse,
  })
  async change(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @IntegerParam('userId') userId: number,
    @Body() { role }: ChangeCollaboratorRequest,
  ): Promise<CollaboratorResponse> {
    return toCollaboratorResponse(await this.collaborators.changeRole(viewer, id, userId, role));
  }

  @Delete(':userId/')
  @Route({
    summary: 'Take somebody off a board, or leave it',
    description: 'It counts at the next request; what they put on the board is not shown there any more.',
    response: null,
  })
  async remove(
    @CurrentUser() viewer: Principal,
    @IntegerParam('id') id: number,
    @IntegerParam('userId') userId: number,
  ): Promise<void> {
    await this.collaborators.remove(viewer, id, userId);
  }
}
