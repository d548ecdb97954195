import { InvalidRequestError } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';

/** What a command gives back to be shown. */
export type Result = object | readonly object[];
export type Open = () => Promise<INestApplicationContext>;
/** Where a command is given. */
export interface Terminal {
  /** Standard input, to its end. */
  input(): Promise<string>;
  out(text: string): void;
  err(text: string): void;
}
/** @param limit how many were asked for at most: a list that is as long says that there may be more. */
export type Show = (result: Promise<Result>, limit?: number) => Promise<void>;

/** What a command showed is no success; there is nothing more to say of it. */
export class ShownFailure extends Error {}

/** @throws InvalidRequestError naming `what` */
export function wholeNumber(raw: string, what: string, min: number, max: number): number {
  const value = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  if (!(value >= min && value <= max)) throw new InvalidRequestError(`${what} must be a number from ${min} to ${max}.`);
  return value;
}
