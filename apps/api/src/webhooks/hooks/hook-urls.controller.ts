import { CurrentUser, type Principal } from '@app/auth';
import { HookUrls, WebhookCredentials } from '@app/workflows';
import { Body, Controller, Delete, Post, Put, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { UuidParam } from '../../http/params.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { HookAddress } from '../../workflows/hook-address.js';
import {
  HookUrlQuery,
  HookUrlRequest,
  HookUrlResponse,
  RotateHookUrlRequest,
  toHookUrlResponse,
} from './hook-urls.dto.js';

/** Addresses for senders that can only post to one. For the owner only. */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class HookUrlsController {
  constructor(
    private readonly urls: HookUrls,
    private readonly credentials: WebhookCredentials,
    private readonly address: HookAddress,
  ) {}

  @Put(':id/webhook-url/')
  @Route({
    summary: 'Open a webhook by URL, or change how it is checked',
    description: 'The address stays when it is changed. A secret that is replaced is taken for 24 hours more.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'workflows:write',
    response: HookUrlResponse,
  })
  async put(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() body: HookUrlRequest,
    @Req() request: Request,
  ): Promise<HookUrlResponse> {
    const { node_id: nodeId = null, scheme, challenge, keep_previous: keepPrevious } = body;
    if (nodeId !== null) await this.credentials.forNode(viewer.userId, id, nodeId);
    const wish = {
      scheme,
      challenge,
      secret: body.secret ?? null,
      headerName: body.header_name ?? null,
      username: body.username ?? null,
      verifyToken: body.verify_token ?? null,
    };
    const record = await this.urls.put(viewer, id, nodeId, wish, keepPrevious);
    return toHookUrlResponse(id, this.address.of(request, record.token), record);
  }

  @Post(':id/webhook-url/rotate/')
  @Route({
    bodyOptional: true,
    summary: 'Rotate the address of a webhook',
    description: 'The address before it is taken for 24 hours more.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'workflows:write',
    response: HookUrlResponse,
  })
  async rotate(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { node_id: nodeId = null, keep_previous }: RotateHookUrlRequest,
    @Req() request: Request,
  ): Promise<HookUrlResponse> {
    const record = await this.urls.rotate(viewer, id, nodeId, keep_previous);
    return toHookUrlResponse(id, this.address.of(request, record.token), record);
  }

  @Delete(':id/webhook-url/')
  @Route({
    summary: 'Close a webhook by URL',
    description: 'Every address of the credential is refused from now on; its id and secret are taken as before.',
    errors: 'fields',
    scope: 'workflows:write',
    response: null,
  })
  async close(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { node_id: nodeId = null }: HookUrlQuery,
  ): Promise<void> {
    await this.urls.close(viewer, id, nodeId);
  }
}
