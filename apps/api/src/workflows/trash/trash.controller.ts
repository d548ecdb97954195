import { CurrentUser, type Principal } from '@app/auth';
import { DeleteImpact, WorkflowReader, WorkflowTrash } from '@app/workflows';
import { Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import {
  DeletedWorkflowResponse,
  DeletionImpactResponse,
  RestoredWorkflowResponse,
  toTrashedWorkflowResponse,
  TrashedWorkflowResponse,
  TrashReportResponse,
} from './trash.dto.js';

@ApiTags('Workflow trash')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class WorkflowTrashController {
  constructor(
    private readonly bin: WorkflowTrash,
    private readonly impact: DeleteImpact,
    private readonly reader: WorkflowReader,
  ) {}

  @Get('trash/')
  @Route({
    summary: 'List trashed workflows',
    description: 'Own workflows in the trash, with when each goes for good.',
    scope: 'workflows:read',
    response: [TrashedWorkflowResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<TrashedWorkflowResponse[]> {
    return (await this.reader.listTrash(viewer.userId)).map(toTrashedWorkflowResponse);
  }

  @Get(':id/delete-impact/')
  @Route({
    summary: 'See what a permanent delete would take along',
    description: 'Of a workflow in the trash or outside it.',
    scope: 'workflows:read',
    response: DeletionImpactResponse,
  })
  async report(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<DeletionImpactResponse> {
    return this.impact.report(viewer.userId, id);
  }

  @Delete(':id/')
  @Route({
    summary: 'Move a workflow to the trash',
    description: 'A run in flight is stopped and what waits is cancelled. Nothing fires while it is there.',
    scope: 'workflows:write',
    response: TrashReportResponse,
  })
  async trash(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<TrashReportResponse> {
    const { deletedAt, purgeAt, sideEffects } = await this.bin.trash(viewer.userId, id);
    return {
      message: 'Workflow moved to the trash.',
      status: 'trashed',
      id,
      deleted_at: deletedAt,
      purge_at: purgeAt,
      side_effects: sideEffects,
    };
  }

  @Post(':id/restore/')
  @Route({
    summary: 'Take a workflow out of the trash',
    description: 'As it was, with its history.',
    scope: 'workflows:write',
    response: RestoredWorkflowResponse,
  })
  async restore(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<RestoredWorkflowResponse> {
    await this.bin.restore(viewer.userId, id);
    return { status: 'restored', id };
  }

  @Delete(':id/permanent-delete/')
  @Route({
    summary: 'Delete a workflow for good',
    description: 'With its runs, outputs, requests, secrets and schedules, whether it is in the trash or not.',
    scope: 'workflows:write',
    response: DeletedWorkflowResponse,
  })
  async deletePermanently(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
  ): Promise<DeletedWorkflowResponse> {
    return { status: 'permanently_deleted', id, deleted: await this.bin.deletePermanently(viewer, id) };
  }
}
