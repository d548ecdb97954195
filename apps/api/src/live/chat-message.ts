import { isUuid } from '@app/common';
import { parseObject, parseSeq } from './client-message.js';

/** Where a client stopped: it has everything of this turn up to and including the frame with this `seq`. */
export interface ChatPlace {
  turnId: string;
  lastSeq: number;
}

/** What a client of a chat channel may say. */
export type ChatMessage =
  | { type: 'ping' }
  /** Asks for what it missed of a turn, and for the turns after it. */
  | ({ type: 'resume' } & ChatPlace)
  /** Says that somebody looks, and asks to be told in how many places. */
  | { type: 'presence'; state: 'viewing' | 'editing' | 'away'; nodeId: null };

/** Null for anything else, which is passed over: a newer client may say more. */
export function parseChatMessage(text: string): ChatMessage | null {
  const message = parseObject(text);
  switch (message?.type) {
    case 'ping':
      return { type: 'ping' };
    case 'resume': {
      const place = parsePlace(message.turn_id, message.last_seq);
      return place && { type: 'resume', ...place };
    }
    case 'presence': {
      const { state } = message;
      if (state !== 'viewing' && state !== 'editing' && state !== 'away') return null;
      return { type: 'presence', state, nodeId: null };
    }
    default:
      return null;
  }
}

/** @param lastSeq a number, or text in a query. Null for anything that is no place. */
export function parsePlace(turnId: unknown, lastSeq: unknown): ChatPlace | null {
  const seq = parseSeq(lastSeq);
  return isUuid(turnId) && seq !== null ? { turnId: turnId.toLowerCase(), lastSeq: seq } : null;
}
