import { cutText, findLostNumber } from '@app/common';

/** What a client of a workflow channel may say. */
export type ClientMessage =
  | { type: 'ping' }
  /** Asks for the events after `lastSeq` again. */
  | { type: 'resume'; lastSeq: number }
  /** Says what its user does here, and asks to be told who else is here. */
  | { type: 'presence'; state: 'viewing' | 'editing' | 'away'; nodeId: string | null };

const MAX_NODE_ID = 200;

/** Null for anything else, which is passed over: a newer client may say more. */
export function parseClientMessage(text: string): ClientMessage | null {
  const message = parseObject(text);
  switch (message?.type) {
    case 'ping':
      return { type: 'ping' };
    case 'resume': {
      const lastSeq = parseSeq(message.last_seq);
      return lastSeq === null ? null : { type: 'resume', lastSeq };
    }
    case 'presence': {
      const { state, node_id: nodeId } = message;
      if (state !== 'viewing' && state !== 'editing' && state !== 'away') return null;
      return {
        type: 'presence',
        state,
        nodeId: typeof nodeId === 'string' ? cutText(nodeId.toWellFormed(), MAX_NODE_ID) : null,
      };
    }
    default:
      return null;
  }
}

/** A `seq` as a number or as text in a query; null for anything that is none. */
export function parseSeq(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : null;
}

/** Null for what is no JSON object, or holds a number that would be another one here. */
export function parseObject(text: string): Record<string, unknown> | null {
  if (findLostNumber(text) !== null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
