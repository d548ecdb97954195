import { DomainError, InvalidRequestError, ValidationError } from '@app/common';
import { ToolError } from '@app/workflows';

/** Lets the named errors of other domains fail a node under their own code. Wrong requests are not tried again. */
export async function asToolError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const isWrong = error instanceof InvalidRequestError || error instanceof ValidationError;
    throw new ToolError(error.code, error.message, !isWrong, { cause: error });
  }
}
