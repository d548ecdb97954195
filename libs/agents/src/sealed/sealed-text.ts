import { SealingService, UnsealableError } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import type { StoredTurnEvent } from '../turn-events/turn-event.js';

/** Each piece is a line of its own: pieces may be joined on their way into the log. */
const PIECE = /enc:s1:(\d+):([A-Za-z0-9_-]+)\n/g;

/**
 * The text of turns whose history only the client can read, while it is on its way: it stands in the log, in the row and
 * on the bus as pieces that are sealed for this turn, and is opened for whoever follows the turn.
 */
@Injectable()
export class SealedText {
  constructor(private readonly sealing: SealingService) {}

  /** @param offset where the piece stands in the whole text, in UTF-16 code units */
  seal(turnId: string, offset: number, piece: string): string {
    return `enc:s1:${offset}:${this.sealing.seal(piece, placeOf(turnId)).toString('base64url')}\n`;
  }

  /** What was sealed for this turn; any other text as it is. `offset` is that of the first piece. */
  open(turnId: string, text: string): { offset: number | null; text: string } {
    if (!text.startsWith('enc:s1:')) return { offset: null, text };
    const pieces = [...text.matchAll(PIECE)];
    if (pieces.length === 0) return { offset: null, text };
    try {
      const opened = pieces.map(([, , sealed]) =>
        this.sealing.openText(Buffer.from(sealed!, 'base64url'), placeOf(turnId)),
      );
      return { offset: Number(pieces[0]![1]), text: opened.join('') };
    } catch (error) {
      // Somebody wrote what looks like it.
      if (error instanceof UnsealableError) return { offset: null, text };
      throw error;
    }
  }

  /** As a follower of the turn gets it. */
  openEvent(event: StoredTurnEvent): StoredTurnEvent {
    if (event.type !== 'delta') return event;
    const { offset, text } = this.open(event.turnId, event.data.text);
    return offset === null ? event : { ...event, data: { offset, text } };
  }

  sealRequest(conversation: string, request: object): string {
    return this.sealing.seal(JSON.stringify(request), requestPlace(conversation)).toString('base64');
  }

  /** @throws UnsealableError */
  openRequest(conversation: string, sealed: string): unknown {
    return JSON.parse(this.sealing.openText(Buffer.from(sealed, 'base64'), requestPlace(conversation)));
  }
}

const placeOf = (turnId: string) => ({ table: 'chat_turn_events', column: 'data', row: turnId });
/** The turn has no id yet when its request is sealed. */
const requestPlace = (conversation: string) => ({ table: 'chat_turns', column: 'request', row: conversation });
