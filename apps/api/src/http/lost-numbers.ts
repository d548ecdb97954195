import { findLostNumber, InvalidRequestError } from '@app/common';

/** @param json a text of a client, which may be no JSON @throws InvalidRequestError `number_out_of_range` */
export function refuseLostNumbers(json: string): void {
  const lost = findLostNumber(json);
  if (lost !== null)
    throw new InvalidRequestError(`The number ${lost.slice(0, 50)} cannot be kept exactly. Send it as a string.`, {
      code: 'number_out_of_range',
    });
}
