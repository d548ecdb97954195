import {
  DomainError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  ValidationError,
} from '@app/common';
import { ToolError } from '@app/workflow-definition';

/** Asked again, they say the same. */
const FINAL = [
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  ValidationError,
];

/** Lets the named errors of other domains fail a node under their own code. Wrong requests are not tried again. */
export async function asToolError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const isFinal = FINAL.some((type) => error instanceof type);
    throw new ToolError(error.code, error.message, !isFinal, { cause: error });
  }
}
