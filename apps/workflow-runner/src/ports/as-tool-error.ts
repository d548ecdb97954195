import {
  DomainError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  ValidationError,
} from '@app/common';
import { faultOf } from '@app/integrations';
import { addUsage, type NodeUsage, ToolError } from '@app/workflow-definition';
import { toNodeUsage } from './used-models.js';

/** Asked again, they say the same. */
const FINAL = [
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  ValidationError,
];

/**
 * Lets the named errors of other domains fail a node under their own code. Wrong requests are not tried again.
 * @param before what was used of language models until then
 */
export async function asToolError<T>(work: Promise<T>, before?: () => NodeUsage | null): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const isFinal = FINAL.some((type) => error instanceof type);
    const { usage: last = null } = toNodeUsage(faultOf(error)?.usage ?? null);
    const usage = addUsage(before?.() ?? null, last);
    throw new ToolError(error.code, error.message, !isFinal, { cause: error, usage });
  }
}
