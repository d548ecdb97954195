import { currentContext } from '@app/common';

/** The headers with the trace of what is at work (W3C Trace Context), unless they name one. */
export function withTrace(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const traceparent = currentContext()?.trace;
  return traceparent === undefined || 'traceparent' in headers ? headers : { ...headers, traceparent };
}
