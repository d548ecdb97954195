import { Public } from '@app/auth';
import {
  type AcceptedCall,
  answerGenuine,
  answerGet,
  answerUnproven,
  type ChallengeAnswer,
  headersForWorkflow,
  type HookCall,
  type HookReceiver,
  HookReceivers,
  invalidCredential,
  queryForWorkflow,
  RequestAnswers,
  WebhookQueue,
  type WebhookTarget,
} from '@app/workflows';
import { Controller, Get, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ApiRequest } from '../../http/api-request.js';
import { PartOf } from '../../http/part-of.js';
import { Route } from '../../http/route.js';
import { keyOfEvent } from '../call-proof-headers.js';
import { readDelivery } from '../delivered-body.js';
import { WebhookAnswers } from '../webhook-answers.js';
import { MAX_WAIT_SECONDS, type WebhookTriggerResponse } from '../webhook-trigger.dto.js';
import { HookDeliveryResponse, HookQuery } from './hook-urls.dto.js';
import { readHookBody } from './hook-body.js';
import { sendChallenge } from './raw-answers.js';

/** What a call is, once its address and its proof are found right. */
type Judged = { challenge: ChallengeAnswer } | { target: WebhookTarget; key: string | null; headerName: string | null };

const RAW = {
  contentType: '*/*',
  description:
    'What a `respond` node says; the answer to a challenge; or, in the shape of the 202, how the run ended while the call waited.',
} as const;

/** For senders that can only post to an address. */
@ApiTags('Webhooks')
@PartOf('flowapps')
@Controller('hooks')
export class HookDeliveryController {
  constructor(
    private readonly receivers: HookReceivers,
    private readonly queue: WebhookQueue,
    private readonly answers: WebhookAnswers,
    private readonly said: RequestAnswers,
  ) {}

  @Post(':token/')
  @Public()
  @Route({
    summary: 'Deliver an event to the address of a webhook',
    description:
      'Any body becomes the payload: a JSON object or a form as it is, other JSON and texts as `body`, other bytes as `body_base64`. ' +
      'The call proves itself by the scheme of the address. Where the workflow has a `respond` node, the answer waits up to 25 seconds for it.',
    errors: { 400: 'error', 401: 'error' },
    response: HookDeliveryResponse,
    status: 202,
    alsoAnswers: { 200: RAW },
    rate: 'none',
    readsOwnBody: true,
    optionalSlash: true,
    consumes: '*/*',
  })
  async deliver(
    @Param('token') token: string,
    @Query() { wait_seconds: asked }: HookQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WebhookTriggerResponse | StreamableFile> {
    const { headers, query } = request;
    const body = await readDelivery(request, response);
    const judged = await this.receivers.receive(token, (receiver) =>
      this.judge(receiver, { headers, body, now: Date.now() }, query),
    );
    if (!judged) throw invalidCredential();
    if ('challenge' in judged) return sendChallenge(response, judged.challenge);
    const { payload, uploads } = await readHookBody(body, headers['content-type']);
    const { [judged.headerName ?? '']: _secret, ...shown } = headers;
    const call = await this.answers.accept(
      this.queue.trigger(judged.target, {
        payload,
        isBranch: false,
        startNodeId: null,
        runToTheEnd: true,
        idempotencyKey: judged.key,
        request: { headers: headersForWorkflow(shown), query: queryForWorkflow(query), uploads },
      }),
      response,
    );
    // Whoever has the address hears how it went, but not what came out: that is for `respond` to say.
    return this.answers.tell(call, asked ?? (await this.waitSecondsOf(call)), response, false);
  }

  @Get(':token/')
  @Public()
  @Route({
    summary: 'Answer the challenge of a vendor',
    description:
      'As the vendor of the address documents it (Meta, Dropbox, or a plain 200). It never starts a workflow; anything else is 401.',
    errors: { 401: 'error' },
    response: { contentType: 'text/plain', description: 'What the vendor asked for.' },
    rate: 'none',
    optionalSlash: true,
  })
  async challenge(
    @Param('token') token: string,
    @Req() { query }: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const answer = await this.receivers.receive(token, ({ settings }) => answerGet(settings, query));
    if (!answer) throw invalidCredential();
    return sendChallenge(response, answer);
  }

  private judge(receiver: HookReceiver, call: HookCall, query: ApiRequest['query']): Judged | null {
    const { settings, target } = receiver;
    const { isGenuine, eventId } = this.receivers.prove(receiver, call);
    const challenge =
      answerUnproven(settings, query, call.body) ?? (isGenuine ? answerGenuine(settings, call.body) : null);
    if (challenge) return { challenge };
    if (!isGenuine || !target) return null;
    return { target, key: keyOfEvent(settings.scheme, eventId), headerName: settings.headerName };
  }

  /** Seconds that a call waits where its sender said nothing. */
  private async waitSecondsOf({ workflowId, isAwaiting }: AcceptedCall): Promise<number> {
    return !isAwaiting && (await this.said.areExpected(workflowId)) ? MAX_WAIT_SECONDS : 0;
  }
}
