/** Why the server closes a socket (RFC 6455, section 7.4.1). After 1001 and 1013 a client reconnects and resumes. */
export const CLOSE = {
  goingAway: { code: 1001, reason: 'The server restarts: reconnect and resume.' },
  accessEnded: { code: 1008, reason: 'Access has ended.' },
  tooManyMessages: { code: 1008, reason: 'Too many messages.' },
  tooSlow: { code: 1013, reason: 'Too slow: reconnect and resume.' },
} as const;

/** The reason is at most 123 bytes. */
export type CloseReason = (typeof CLOSE)[keyof typeof CLOSE];
