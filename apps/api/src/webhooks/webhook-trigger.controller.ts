import { Public } from '@app/auth';
import { InvalidRequestError, UnauthenticatedError, UnavailableError } from '@app/common';
import { NodeRows, WebhookCredentials, WebhookQueue } from '@app/workflows';
import { Body, Controller, Get, Headers, Post, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Route } from '../http/route.js';
import {
  toStatusResponse,
  toTriggerResponse,
  WebhookStatusQuery,
  WebhookStatusResponse,
  WebhookTriggerRequest,
  WebhookTriggerResponse,
} from './webhook-trigger.dto.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;
/** A full queue moves as fast as its workflow runs. */
const RETRY_AFTER_SECONDS = 10;

/** What outside systems call, with a webhook credential and no session (document 2, 4.7). */
@ApiTags('Webhooks')
@Controller('microservices/workflow/webhook')
export class WebhookTriggerController {
  constructor(
    private readonly credentials: WebhookCredentials,
    private readonly queue: WebhookQueue,
    private readonly nodeRows: NodeRows,
  ) {}

  @Post()
  @Public()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key within 24 hours: the same request.',
  })
  @Route({
    summary: 'Trigger a workflow',
    description: 'Calls of one workflow run one at a time, in the order in which they were accepted.',
    errors: { 400: 'error', 401: 'error' },
    response: WebhookTriggerResponse,
    status: 202,
    rate: 'none',
  })
  async trigger(
    @Body() body: WebhookTriggerRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookTriggerResponse> {
    const target = await this.credentials.verify(body.webhook_id, body.webhook_secret);
    try {
      const call = await this.queue.trigger(target, {
        payload: body.payload ?? body.webhook_payload,
        isBranch: body.is_branch,
        startNodeId: body.start_node_id || null,
        runToTheEnd: body.run_to_the_end,
        idempotencyKey: readKey(idempotencyKey) ?? (body.event_id || null),
      });
      return toTriggerResponse(call);
    } catch (error) {
      if (error instanceof UnavailableError) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
      throw error;
    }
  }

  @Get('status/')
  @Public()
  @ApiHeader({ name: 'X-Webhook-Id', required: false, description: 'In place of the query.' })
  @ApiHeader({
    name: 'X-Webhook-Secret',
    required: false,
    description: 'In place of the query, which ends up in logs.',
  })
  @Route({
    summary: 'Follow a triggered workflow',
    errors: { 400: 'error', 401: 'error' },
    response: WebhookStatusResponse,
    rate: 'none',
  })
  async status(
    @Query() query: WebhookStatusQuery,
    @Headers('x-webhook-id') headerId: string | undefined,
    @Headers('x-webhook-secret') headerSecret: string | undefined,
  ): Promise<WebhookStatusResponse> {
    const id = headerId ?? query.webhook_id ?? '';
    const secret = headerSecret ?? query.webhook_secret ?? '';
    const { workflowId } = await this.credentials.verify(id, secret);
    const progress = await this.nodeRows.find(workflowId, { withOutputs: query.include_output });
    // Trashed since the credential was looked up.
    if (!progress)
      throw new UnauthenticatedError('Invalid webhook credentials.', { code: 'invalid_webhook_credentials' });
    return toStatusResponse(progress, query.include_output);
  }
}

function readKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (VISIBLE_ASCII.test(key)) return key;
  throw new InvalidRequestError('Idempotency-Key must be 1 to 255 visible ASCII characters.', {
    code: 'invalid_idempotency_key',
  });
}
