/** What of a message has to be known before the protocol reads it. */
export interface Message {
  method: string | null;
  /** Of a call of a tool. */
  toolName: string | null;
  /** The request that is taken back. */
  cancels: string | number | null;
}

/** One per message of a body that may be anything; what is no message has a method of null. */
export function readMessages(body: unknown): Message[] {
  return (Array.isArray(body) ? (body as unknown[]) : [body]).map((item) => {
    const { method, params } = asRecord(item);
    const { name, requestId } = asRecord(params);
    return {
      method: typeof method === 'string' ? method : null,
      toolName: typeof name === 'string' ? name : null,
      cancels: typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null,
    };
  });
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
