import { headerText } from '@app/common';
import { Public } from '@app/auth';
import { headersForWorkflow, WebhookAuthenticator, WebhookQueue } from '@app/workflows';
import { Controller, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { keyOfMessage, signaturesOf } from './call-proof-headers.js';
import { readDelivery } from './delivered-body.js';
import { readHookBody } from './hooks/hook-body.js';
import { readIdempotencyKey, WebhookAnswers } from './webhook-answers.js';
import { WebhookDeliveryQuery, WebhookTriggerResponse } from './webhook-trigger.dto.js';

/** For senders whose body is theirs to choose: all of it is the payload, and the proof is in the headers. */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('microservices/workflow/webhook')
export class WebhookDeliveryController {
  constructor(
    private readonly authenticator: WebhookAuthenticator,
    private readonly queue: WebhookQueue,
    private readonly answers: WebhookAnswers,
  ) {}

  @Post(':webhookId/')
  @Public()
  @ApiHeader({ name: 'X-Webhook-Secret', required: false, description: 'Unless the call is signed.' })
  @ApiHeader({ name: 'webhook-signature', required: false, description: 'Standard Webhooks; `webhook-id` is the key.' })
  @ApiHeader({ name: 'X-Hub-Signature-256', required: false, description: 'HMAC of the body under the secret.' })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key within 24 hours: the same request.',
  })
  @Route({
    summary: 'Deliver an event of another system',
    description:
      'Triggers the workflow with the whole body as payload: a JSON object or a form as it is, other JSON and texts as `body`, ' +
      'other bytes as `body_base64`.',
    errors: { 400: 'error', 401: 'error' },
    response: WebhookTriggerResponse,
    status: 202,
    alsoAnswers: { 200: WebhookTriggerResponse },
    rate: 'none',
    readsOwnBody: true,
    consumes: 'application/json',
    example: { city: 'Oslo', cost_eur: 240 },
  })
  async deliver(
    @Param('webhookId') webhookId: string,
    @Query() { wait_seconds }: WebhookDeliveryQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookTriggerResponse | StreamableFile> {
    const { headers } = request;
    const body = await readDelivery(request, response);
    const secret = headers['x-webhook-secret'];
    const signatures = signaturesOf(headers);
    const { target, messageId } = await this.authenticator.authenticate(webhookId, {
      secret: typeof secret === 'string' ? (headerText(secret) ?? secret) : null,
      ...signatures,
      body,
    });
    const delivery = signatures.bodySignature ? headers['x-github-delivery'] : undefined;
    const given = headers['idempotency-key'] ?? delivery;
    const { payload, uploads } = await readHookBody(body, headers['content-type']);
    const accepted = this.queue.trigger(target, {
      payload,
      isBranch: false,
      startNodeId: null,
      runToTheEnd: true,
      idempotencyKey: keyOfMessage(messageId) ?? readIdempotencyKey(typeof given === 'string' ? given : undefined),
      request: { headers: headersForWorkflow(headers), uploads },
    });
    return this.answers.answer(accepted, wait_seconds, response);
  }
}
