import { createHash } from 'node:crypto';
import { IdempotencyStore, LEASE_SECONDS } from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { defaultIfEmpty, lastValueFrom, type Observable, of } from 'rxjs';
import type { ApiRequest } from './api-request.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Answers a repeated call like the first one, for routes with `startsSomething`. Only successes are kept: after an
 * error nothing was started, so the key is free again. A process that dies between the commit of what it started and
 * the keeping of the answer leaves the key in progress for a minute; a retry after that starts anew.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(private readonly store: IdempotencyStore) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const userId = request.user?.userId;
    const key = userId === undefined ? undefined : idempotencyKeyOf(request);
    if (key === undefined || userId === undefined) return next.handle();

    const claimed = await this.store.claim(userId, key, fingerprintOf(request));
    if ('answer' in claimed) {
      response.setHeader('Idempotency-Replayed', 'true');
      response.status(claimed.answer.status);
      return of(claimed.answer.body === '' ? undefined : (JSON.parse(claimed.answer.body) as unknown));
    }
    const { claim } = claimed;
    const beat = setInterval(
      () => {
        this.store.extend(userId, key, claim).catch((error: Error) => this.logger.warn(error.message));
      },
      (LEASE_SECONDS * 1000) / 3,
    );
    try {
      const body: unknown = await lastValueFrom(next.handle().pipe(defaultIfEmpty(undefined)));
      const answer = { status: response.statusCode, body: body === undefined ? '' : JSON.stringify(body) };
      // The work is done and stands, whether its answer can be kept or not.
      await this.store.keep(userId, key, claim, answer).catch((failure: Error) => this.logger.error(failure));
      return of(body);
    } catch (error) {
      await this.store.release(userId, key, claim).catch((failure: Error) => this.logger.warn(failure.message));
      throw error;
    } finally {
      clearInterval(beat);
    }
  }
}

/** @throws InvalidRequestError for a key that could not be told from others. */
export function idempotencyKeyOf({ headers }: ApiRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new InvalidRequestError('Idempotency-Key must be 1 to 255 visible ASCII characters.', {
    code: 'invalid_idempotency_key',
  });
}

/** Of an upload the body is its fields, and the names and hashes of its files (`@ReceivesFiles`). */
export function fingerprintOf({ method, originalUrl, body }: ApiRequest): Buffer {
  const text = JSON.stringify(body ?? null);
  return createHash('sha256').update(`${method} ${originalUrl}\n`).update(text).digest();
}
