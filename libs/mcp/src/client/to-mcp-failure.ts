import { EgressError, type EgressFailure } from '@app/integrations';
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { SignInNeededError } from './authorization.js';
import { McpFailure, type McpFailureKind } from './mcp-failure.js';

const EGRESS: Record<EgressFailure, McpFailureKind> = {
  blocked: 'blocked',
  unreachable: 'unreachable',
  certificate: 'certificate',
  timeout: 'timeout',
  too_large: 'too_large',
  redirect: 'protocol',
  protocol: 'protocol',
  body: 'protocol',
};

const MAX_SAID = 300;

/**
 * Whatever the SDK or the way out threw, in words of our own. Of what the server said only the message of a JSON-RPC
 * error is repeated, without the secrets that it may echo.
 */
export function toMcpFailure(error: unknown, secrets: readonly string[]): McpFailure {
  if (error instanceof McpFailure) return error;
  const because = { cause: error };
  if (error instanceof SignInNeededError) return new McpFailure('sign_in', error.message, because);
  if (error instanceof EgressError) return new McpFailure(EGRESS[error.failure], error.message, because);
  if (error instanceof StreamableHTTPError || error instanceof SseError) return ofStatus(error.code, because);
  if (error instanceof McpError) return ofRpc(error, secrets);
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new McpFailure('timeout', 'The server did not answer in time.', because);
  return new McpFailure('protocol', 'The server does not answer as a tool server should (MCP).', because);
}

function ofStatus(status: number | undefined, because: ErrorOptions): McpFailure {
  if (status === undefined || status < 100)
    return new McpFailure('protocol', 'The address answers, but not as a tool server (MCP).', because);
  if (status >= 300 && status < 400)
    return new McpFailure('protocol', 'The server redirects to another host, which is not followed.', because);
  if (status === 429)
    return new McpFailure('unreachable', 'The server is asked too often at the moment (429).', because);
  if (status >= 500) return new McpFailure('unreachable', `The server has a problem (status ${status}).`, because);
  return new McpFailure('protocol', `The address answers with status ${status}, not as a tool server (MCP).`, because);
}

function ofRpc(error: McpError, secrets: readonly string[]): McpFailure {
  const because = { cause: error };
  // These two codes are the SDK's own; servers use the same numbers for other things, with other words.
  if (error.code === Number(ErrorCode.RequestTimeout) && /timed out|timeout exceeded/i.test(error.message))
    return new McpFailure('timeout', 'The server did not answer in time.', because);
  if (error.code === Number(ErrorCode.ConnectionClosed) && error.message.endsWith('Connection closed'))
    return new McpFailure('unreachable', 'The connection to the server broke.', because);
  const said = redact(error.message.replace(/^MCP error -?\d+: /, ''), secrets).slice(0, MAX_SAID);
  return new McpFailure('rpc', `The server says: ${said}`, because);
}

/** One line without control characters, and without the secrets. */
export function redact(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text.toWellFormed(), secrets)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
}

/** A secret of a few letters is none, and would stand in every second word. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, '***')), text);
}
