import { EgressError, type EgressFailure } from '@app/integrations';
import { type HttpPort, ToolError, type ToolPorts } from '@app/workflow-definition';

export const HTTP_UNAVAILABLE = 'Calls to other hosts are not available.';

export function requireHttp({ http }: ToolPorts): HttpPort {
  if (!http) throw new ToolError('http_unavailable', HTTP_UNAVAILABLE, false);
  return http;
}

const CODES: Record<EgressFailure, { code: string; retryable: boolean }> = {
  blocked: { code: 'address_refused', retryable: false },
  unreachable: { code: 'host_unreachable', retryable: true },
  certificate: { code: 'certificate_invalid', retryable: false },
  timeout: { code: 'host_timeout', retryable: true },
  too_large: { code: 'response_too_large', retryable: false },
  redirect: { code: 'redirect_refused', retryable: false },
  protocol: { code: 'response_invalid', retryable: false },
  body: { code: 'body_unreadable', retryable: true },
};

/**
 * A failed call as its node tells of it: neither address nor banner
 * (docs/contract/reliability.md#addresses-of-users). Other errors stay.
 */
export function toToolError(error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  // What the storage said of a file is of more use than that it broke the call off.
  if (error.failure === 'body' && error.cause instanceof ToolError) return error.cause;
  const { code, retryable } = CODES[error.failure];
  return new ToolError(code, error.message, retryable, { cause: error });
}
