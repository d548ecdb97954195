import { CurrentUser, type Principal } from '@app/auth';
import { HookUrls, WebhookKeys, WebhookSettings } from '@app/workflows';
import { Body, Controller, Delete, Get, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { UuidParam } from '../http/params.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { HookAddress } from '../workflows/hook-address.js';
import {
  RotateSecretRequest,
  RotateSecretResponse,
  SigningKeyQuery,
  SigningKeyRequest,
  SigningKeyResponse,
  toRotateResponse,
  toSettingsResponse,
  toSigningKeyResponse,
  WebhookSettingsRequest,
  WebhookSettingsResponse,
} from './webhook-keys.dto.js';

/** How a workflow takes calls, and what they prove themselves with. For the owner only. */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('microservices/workflow')
export class WebhookKeysController {
  constructor(
    private readonly keys: WebhookKeys,
    private readonly settings: WebhookSettings,
    private readonly urls: HookUrls,
    private readonly address: HookAddress,
  ) {}

  @Get(':id/webhook-settings/')
  @Route({
    summary: 'Get the webhook settings of a workflow',
    description: 'What the webhook takes and how long its queue may be, for owners and editors.',
    scope: 'workflows:write',
    response: WebhookSettingsResponse,
  })
  async get(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Req() request: Request,
  ): Promise<WebhookSettingsResponse> {
    return this.show(viewer, id, request);
  }

  @Patch(':id/webhook-settings/')
  @Route({
    summary: 'Change the webhook settings of a workflow',
    description: 'Changes only the fields that are sent, for calls that come from then on.',
    errors: 'fields',
    scope: 'workflows:write',
    response: WebhookSettingsResponse,
  })
  async change(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { requires_approval }: WebhookSettingsRequest,
    @Req() request: Request,
  ): Promise<WebhookSettingsResponse> {
    await this.settings.setApproval(viewer, id, requires_approval);
    return this.show(viewer, id, request);
  }

  @Post(':id/webhook-secret/rotate/')
  @Route({
    bodyOptional: true,
    summary: 'Rotate the secret of a webhook credential',
    description: 'The secret before it is taken for 24 hours more.',
    errors: { 400: 'fields', 409: 'detail' },
    scope: 'workflows:write',
    response: RotateSecretResponse,
  })
  async rotate(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { node_id: nodeId = null, keep_previous }: RotateSecretRequest,
  ): Promise<RotateSecretResponse> {
    return toRotateResponse(id, nodeId, await this.keys.rotateSecret(viewer, id, nodeId, keep_previous));
  }

  @Post(':id/webhook-signing-key/')
  @Route({
    bodyOptional: true,
    summary: 'Set or rotate the signing key of a webhook credential',
    description: 'From then on calls must be signed (Standard Webhooks). A key before it is taken for 24 hours more.',
    errors: 'fields',
    scope: 'workflows:write',
    response: SigningKeyResponse,
  })
  async setSigningKey(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Body() { node_id: nodeId = null, signing_key: given = null }: SigningKeyRequest,
  ): Promise<SigningKeyResponse> {
    return toSigningKeyResponse(id, nodeId, await this.keys.setSigningKey(viewer, id, nodeId, given));
  }

  @Delete(':id/webhook-signing-key/')
  @Route({
    summary: 'Remove the signing key of a webhook credential',
    description: 'From then on its calls prove themselves by the secret alone.',
    errors: 'fields',
    scope: 'workflows:write',
    response: null,
  })
  async removeSigningKey(
    @CurrentUser() viewer: Principal,
    @UuidParam('id') id: string,
    @Query() { node_id: nodeId = null }: SigningKeyQuery,
  ): Promise<void> {
    await this.keys.removeSigningKey(viewer, id, nodeId);
  }

  private async show({ userId }: Principal, id: string, request: Request): Promise<WebhookSettingsResponse> {
    const [settings, urls] = await Promise.all([this.settings.get(userId, id), this.urls.list(userId, id)]);
    return toSettingsResponse(
      settings,
      urls.map((record) => ({ ...record, url: this.address.of(request, record.token) })),
    );
  }
}
