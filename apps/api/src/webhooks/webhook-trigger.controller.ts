import { Public } from '@app/auth';
import { headerText, ValidationError } from '@app/common';
import { headersForWorkflow, invalidCredential, NodeRows, WebhookAuthenticator, WebhookQueue } from '@app/workflows';
import { Body, Controller, Get, Headers, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { keyOfMessage, signaturesOf } from './call-proof-headers.js';
import { readIdempotencyKey, WebhookAnswers } from './webhook-answers.js';
import {
  toStatusResponse,
  WebhookStatusQuery,
  WebhookStatusResponse,
  WebhookTriggerRequest,
  WebhookTriggerResponse,
} from './webhook-trigger.dto.js';

/** What outside systems call, with a webhook credential and no session (docs/contract/webhooks.md#the-trigger). */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('microservices/workflow/webhook')
export class WebhookTriggerController {
  constructor(
    private readonly authenticator: WebhookAuthenticator,
    private readonly queue: WebhookQueue,
    private readonly nodeRows: NodeRows,
    private readonly answers: WebhookAnswers,
  ) {}

  @Post()
  @Public()
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key within 24 hours: the same request. The `webhook-id` of a signed call is one, too.',
  })
  @ApiHeader({
    name: 'webhook-signature',
    required: false,
    description: 'Standard Webhooks, over the bytes of the body.',
  })
  @Route({
    summary: 'Trigger a workflow',
    description:
      'Calls of one workflow run one at a time, in the order in which they were accepted. ' +
      'With `wait_seconds` the answer is what a `respond` node says as soon as it does, or 200 with the outcome when the run ends in time.',
    errors: { 400: 'error', 401: 'error' },
    response: WebhookTriggerResponse,
    status: 202,
    alsoAnswers: { 200: WebhookTriggerResponse },
    rate: 'none',
    keepsRawBody: true,
    bodyTooLarge: { code: 'invalid_payload', message: 'The payload is larger than 65536 bytes.' },
  })
  async trigger(
    @Body() body: WebhookTriggerRequest,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Req() { headers, rawBody }: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookTriggerResponse | StreamableFile> {
    const signatures = signaturesOf(headers);
    if (body.webhook_secret === undefined && !signatures.signature && !signatures.bodySignature)
      throw new ValidationError({ webhook_secret: ['This field is required.'] });
    const { target, messageId } = await this.authenticator.authenticate(body.webhook_id, {
      secret: body.webhook_secret ?? null,
      ...signatures,
      ...(rawBody && { body: rawBody }),
    });
    const accepted = this.queue.trigger(target, {
      payload: body.payload ?? body.webhook_payload,
      isBranch: body.is_branch,
      startNodeId: body.start_node_id || null,
      runToTheEnd: body.run_to_the_end,
      idempotencyKey: keyOfMessage(messageId) ?? readIdempotencyKey(idempotencyKey) ?? (body.event_id || null),
      ...(signatures.signature && messageId !== null && { request: { headers: headersForWorkflow(headers) } }),
    });
    return this.answers.answer(accepted, body.wait_seconds, response);
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
    description:
      'How a call of a webhook stands, for whoever knows the credential: as headers, or as query. With `include_output` also what it made.',
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
    const secret = (headerSecret && headerText(headerSecret)) ?? headerSecret ?? query.webhook_secret ?? '';
    const { workflowId } = await this.authenticator.authenticateSecret(id, secret);
    const progress = await this.nodeRows.find(workflowId, { withOutputs: query.include_output });
    // Trashed since the credential was looked up.
    if (!progress) throw invalidCredential();
    return toStatusResponse(progress, query.include_output);
  }
}
