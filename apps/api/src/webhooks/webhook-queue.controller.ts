import { CurrentUser, type Principal } from '@app/auth';
import { HookUrls, WebhookCredentials, WebhookRequests } from '@app/workflows';
import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { HookAddress } from '../workflows/hook-address.js';
import {
  NodeWebhookResponse,
  QueueActionRequest,
  QueueActionResponse,
  QueueQuery,
  QueueResponse,
  toQueueResponse,
} from './webhook-queue.dto.js';

/** Webhooks as their owners see them. */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class WebhookQueueController {
  constructor(
    private readonly requests: WebhookRequests,
    private readonly credentials: WebhookCredentials,
    private readonly urls: HookUrls,
    private readonly address: HookAddress,
  ) {}

  @Get(':id/webhook-queue/')
  @Route({
    summary: 'List webhook requests',
    description: 'What runs and what waits, in order, then what ended last.',
    errors: 'fields',
    scope: 'workflows:read',
    response: QueueResponse,
  })
  async list(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { limit }: QueueQuery,
  ): Promise<QueueResponse> {
    return toQueueResponse(await this.requests.list(viewer.userId, id, limit));
  }

  @Post(':id/webhook-queue/:requestId/')
  @Route({
    summary: 'Retry, cancel, approve or reject a webhook request',
    description: 'Editors retry and cancel; the owner approves and rejects.',
    errors: 'fields+error',
    scope: 'workflows:run',
    response: QueueActionResponse,
    startsSomething: true,
  })
  async act(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @UuidParam('requestId') requestId: string,
    @Body() { action }: QueueActionRequest,
  ): Promise<QueueActionResponse> {
    return { id: requestId, status: await this.requests.act(viewer, id, requestId, action), action };
  }

  @Get(':id/node-webhook/:nodeId/')
  @Route({
    summary: 'Get the webhook credential of a node',
    description: 'Made at the first call, the same from then on. For the owner only.',
    scope: 'workflows:write',
    response: NodeWebhookResponse,
  })
  async nodeCredential(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Param('nodeId') nodeId: string,
    @Req() request: Request,
  ): Promise<NodeWebhookResponse> {
    const { webhookId, webhookSecret, created, isEntry } = await this.credentials.forNode(viewer.userId, id, nodeId);
    return {
      workflow_id: id,
      node_id: nodeId,
      webhook_id: webhookId,
      webhook_secret: webhookSecret,
      webhook_url: this.address.ofNullable(request, await this.urls.findTokenOf(webhookId)),
      is_branch: !isEntry,
      created,
    };
  }
}
