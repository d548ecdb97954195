import { InvalidRequestError, UnavailableError } from '@app/common';
import { type AcceptedCall, RequestAnswers, RequestEnds, RequestResults } from '@app/workflows';
import { Injectable, type StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { sendAnswer } from './hooks/raw-answers.js';
import { toResultFields, toTriggerResponse, type WebhookTriggerResponse } from './webhook-trigger.dto.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;
/** A full queue moves as fast as its workflow runs. */
const RETRY_AFTER_SECONDS = 10;

/** What callers of webhooks get to hear: 202 when the call is written down, 200 when they waited until its run was over. */
@Injectable()
export class WebhookAnswers {
  constructor(
    private readonly ends: RequestEnds,
    private readonly results: RequestResults,
    private readonly said: RequestAnswers,
  ) {}

  async answer(
    accepted: Promise<AcceptedCall>,
    waitSeconds: number,
    response: Response,
  ): Promise<WebhookTriggerResponse | StreamableFile> {
    return this.tell(await this.accept(accepted, response), waitSeconds, response, true);
  }

  /** Says when to come again where too many wait. */
  accept(accepted: Promise<AcceptedCall>, response: Response): Promise<AcceptedCall> {
    return accepted.catch((error: unknown) => {
      if (error instanceof UnavailableError) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
      throw error;
    });
  }

  /**
   * What a `respond` node said as soon as it did; else how the call stands when its run is over or the time is up.
   * @param withOutcome whether outputs and errors are for this caller
   */
  async tell(
    call: AcceptedCall,
    waitSeconds: number,
    response: Response,
    withOutcome: boolean,
  ): Promise<WebhookTriggerResponse | StreamableFile> {
    if (waitSeconds === 0) return toTriggerResponse(call);
    if (!call.hasEnded) await this.waitFor(call, waitSeconds, response);
    const said = await this.said.find(call.requestId);
    if (said) return sendAnswer(response, said);
    const result = await this.results.get(call.requestId);
    if (result.status !== 'pending' && result.status !== 'running') response.status(200);
    const { status, run_version, ...outcome } = toResultFields(result);
    return {
      ...toTriggerResponse(call),
      ...(status && { status }),
      run_version: run_version ?? null,
      ...(withOutcome && outcome),
    };
  }

  private async waitFor(call: AcceptedCall, seconds: number, response: Response): Promise<void> {
    const gone = new AbortController();
    const abort = () => gone.abort();
    response.once('close', abort);
    await this.ends.wait(call.workflowId, call.requestId, seconds * 1000, gone.signal);
    response.off('close', abort);
  }
}

/** @throws InvalidRequestError for a key that could not be told from others. */
export function readIdempotencyKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  if (VISIBLE_ASCII.test(key)) return key;
  throw new InvalidRequestError('Idempotency-Key must be 1 to 255 visible ASCII characters.', {
    code: 'invalid_idempotency_key',
  });
}
