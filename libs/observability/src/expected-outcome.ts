import { DomainError, OutsideFault } from '@app/common';

/** What only wrong code throws, or a deployment that has to be mended; those that others cause have a cause. */
const OURS = new Set(['TypeError', 'ReferenceError', 'RangeError', 'AssertionError', 'UnsealableError']);

/**
 * What is to be told of an error: a line where the product expects it (others failed, and whoever asked was told so), or
 * the error that is at fault, which may stand below one that was told to somebody.
 */
export function judge(error: Error): { line: string } | { fault: Error } {
  const chain = causesOf(error);
  const fault = chain.find(isOurs);
  if (fault) return { fault };
  if (!isExpected(error)) return { fault: error };
  const [, ...causes] = chain.map((one) => one.message.replaceAll(/\s+/g, ' '));
  const because = causes.length === 0 ? '' : ` (${causes.join('; ')})`;
  return { line: `${error.code}: ${error.message.replaceAll(/\s+/g, ' ')}${because}` };
}

function isExpected(error: Error): error is DomainError | OutsideFault {
  return error instanceof DomainError || error instanceof OutsideFault;
}

function isOurs(error: Error): boolean {
  return OURS.has(error.name) && error.cause === undefined;
}

function causesOf(error: Error): Error[] {
  const chain = [error];
  for (let { cause } = error; cause instanceof Error && !chain.includes(cause); { cause } = cause) chain.push(cause);
  return chain;
}
