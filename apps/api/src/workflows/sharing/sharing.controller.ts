import { CurrentUser, type Principal } from '@app/auth';
import { WorkflowSharing } from '@app/workflows';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { SlowLimiter } from '../../http/slow-limiter.js';
import {
  SharedWorkflowResponse,
  ShareWorkflowRequest,
  toSharedWorkflowResponse,
  toUnsharedWorkflowResponse,
  UnsharedWorkflowResponse,
  UnshareWorkflowRequest,
} from './sharing.dto.js';
import { SHARING } from './sharing-limit.js';

/** Copies and apps for others (docs/contract/workflows.md#sharing). */
@ApiTags('Workflow sharing')
@PartOf('flowapps')
@Controller('microservices/workflow/:id')
export class SharingController {
  constructor(
    private readonly sharing: WorkflowSharing,
    private readonly limiter: SlowLimiter,
  ) {}

  @Post('share/')
  @Route({
    summary: 'Give copies of a workflow to others',
    description: 'Copies are their own; apps follow the workflow and go with it. Secrets do not travel.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: SharedWorkflowResponse,
    startsSomething: true,
  })
  async share(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: ShareWorkflowRequest,
  ): Promise<SharedWorkflowResponse> {
    await this.limiter.hit(SHARING, String(viewer.userId));
    return toSharedWorkflowResponse(await this.sharing.share(viewer, id, body.emails, body.only_view_in_apps));
  }

  @Post('unshare/')
  @Route({
    summary: 'Take apps of a workflow back',
    description: 'Copies stay with their receivers, and are no longer listed as shared.',
    errors: 'fields+error',
    scope: 'workflows:write',
    response: UnsharedWorkflowResponse,
    open: true,
  })
  async unshare(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { emails }: UnshareWorkflowRequest,
  ): Promise<UnsharedWorkflowResponse> {
    return toUnsharedWorkflowResponse(await this.sharing.unshare(viewer, id, emails));
  }
}
