import { Stripe } from 'stripe';
import { PaymentDeclinedError, PaymentProcessorError } from '../payment-processor.port.js';

export interface StripeSettings {
  secretKey: string;
  /** Of the endpoint that events are sent to. */
  webhookSecret: string;
  /** Another server that speaks the same; that of Stripe unless told. */
  baseUrl?: string;
  /** Of one try. */
  timeoutMs?: number;
  retries?: number;
}

/** What this code was written for. Answers have this shape whatever version the account has. */
export const STRIPE_API_VERSION = '2026-10-28.endive';
const TIMEOUT_MS = 15_000;
const RETRIES = 2;
/** Refused now, perhaps not later: somebody else is at the object, or a person has to mend the key. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 409, 425, 429]);
const PASSING_CODES: ReadonlySet<string> = new Set(['lock_timeout', 'idempotency_key_in_use', 'rate_limit']);

export function createStripe({
  secretKey,
  baseUrl,
  timeoutMs = TIMEOUT_MS,
  retries = RETRIES,
}: StripeSettings): Stripe {
  const address = baseUrl === undefined ? null : new URL(baseUrl);
  return new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    ...(address && {
      protocol: address.protocol === 'http:' ? 'http' : 'https',
      host: address.hostname,
      port: address.port || (address.protocol === 'http:' ? '80' : '443'),
    }),
  });
}

export const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError;

const MISSING = 'resource_missing';

/** Whether Stripe knows nothing by that name. */
export const isMissing = (error: unknown): boolean =>
  isStripeError(error) && error.statusCode === 404 && error.code === MISSING;

/** Whether a list is asked for of what Stripe does not know: of an account, or a mode, that it was moved away from. */
export const isOfMissing = (error: unknown): boolean => isStripeError(error) && error.code === MISSING;

/** Whether a customer has no card any more to charge: Stripe misses something, and nothing that the call names. */
export const hasNoCard = (error: unknown): boolean =>
  isStripeError(error) && error.statusCode === 400 && error.code === MISSING && !error.param;

/**
 * Without the error itself: messages of Stripe quote addresses, names and parts of keys, and whoever logs an error logs
 * its cause.
 */
export function toProcessorError(error: unknown): Error {
  if (error instanceof PaymentProcessorError || !isStripeError(error))
    return error instanceof Error ? error : new Error(String(error));
  const { statusCode, type, code, decline_code: declined, param, requestId, headers } = error;
  if (statusCode === undefined) {
    const cause = (error.detail as { code?: unknown } | undefined)?.code;
    return new PaymentProcessorError(`Stripe was not reached (${typeof cause === 'string' ? cause : type}).`, true);
  }
  const parts = [type, code, declined, param && `at ${param}`, requestId].filter(Boolean).join(', ');
  const message = `Stripe answered ${statusCode} (${parts}).`;
  if (error instanceof Stripe.errors.StripeCardError) return new PaymentDeclinedError(message);
  const isPassing = statusCode >= 500 || PASSING_STATUSES.has(statusCode) || PASSING_CODES.has(code ?? '');
  // Also what went wrong within Stripe is answered again to the same key for a day, without another try.
  const isReplay = headers?.['idempotent-replayed'] === 'true';
  return new PaymentProcessorError(message, isPassing && !isReplay);
}

/** What Stripe refuses comes as an error of the port. @throws PaymentProcessorError */
export async function asking<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toProcessorError(error);
  }
}

/** Null for what Stripe does not know. @throws PaymentProcessorError */
export async function findAt<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isMissing(error)) return null;
    throw toProcessorError(error);
  }
}

export const TOLERANCE_SECONDS = 300;

/**
 * What a body says that was signed, with a snapshot or thin: the SDK has another function for each, and refuses the other.
 * @param secret of the endpoint @param nowMs at which it was received @throws Error for what is no JSON, or not signed
 */
export function readSigned(body: string, signature: string, secret: string, nowMs: number): unknown {
  Stripe.webhooks.signature!.verifyHeader(body, signature, secret, TOLERANCE_SECONDS, undefined, nowMs);
  return JSON.parse(body) as unknown;
}
