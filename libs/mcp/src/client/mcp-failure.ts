import { cutText, OutsideFault } from '@app/common';

export type McpFailureKind =
  /** Only the user can help, by signing in. */
  | 'sign_in'
  /** The sign-in could not be renewed, for reasons that may pass. */
  | 'sign_in_failed'
  /** 401 or 403 although what proves the right was sent. */
  | 'refused'
  /** The address may not be called. */
  | 'blocked'
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'too_large'
  /** It answers, but not as the protocol says. */
  | 'protocol'
  /** A JSON-RPC error: the server works, and will not do what it was asked for. */
  | 'rpc';

/** Whether the server, and not what it was asked for, is to blame. */
const OUTAGES: readonly McpFailureKind[] = [
  'sign_in',
  'refused',
  'blocked',
  'unreachable',
  'certificate',
  'timeout',
  'protocol',
];

const MAX_MESSAGE = 500;

/** Something went wrong with a tool server. Its text is fit for its user: no secret, no resolved address, 500 characters. */
export class McpFailure extends OutsideFault {
  constructor(
    readonly kind: McpFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(cutText(message, MAX_MESSAGE), options);
    this.name = 'McpFailure';
  }

  get code(): string {
    return this.kind;
  }

  get isOutage(): boolean {
    return OUTAGES.includes(this.kind);
  }
}

/** The server no longer knows the session, and so did nothing: the request may be sent again in another one. */
export class SessionLostError extends Error {
  constructor(options?: ErrorOptions) {
    super('The server has forgotten the session.', options);
    this.name = 'SessionLostError';
  }
}
