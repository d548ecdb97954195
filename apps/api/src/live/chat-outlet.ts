import { type FrameOf, toTelemetry } from './chat-frames.js';
import { CLOSE } from './close-codes.js';
import type { ChatMessage } from './chat-message.js';
import type { LiveSocket } from './live-socket.js';

/** A client that lets more than this wait, text of answers aside, is sent away. */
const MAX_WAITING_FRAMES = 2000;

export interface TextPiece {
  of: FrameOf;
  /** Where it belongs in the answer, in UTF-16 code units. */
  offset: number;
  text: string;
  seq: number;
  /** The answer with this piece. */
  answer: string;
}

type Waiting = { frame: Buffer } | { piece: TextPiece };

/** One client's end of the channel: while it is slow, pieces of an answer are joined instead of piling up. */
export class ChatOutlet {
  private readonly waiting: Waiting[] = [];

  constructor(private readonly socket: LiveSocket<ChatMessage>) {
    socket.onDrain(() => this.drain());
  }

  frame(frame: Buffer): void {
    if (this.waiting.length === 0 && this.socket.offer(frame)) return;
    this.hold({ frame });
  }

  piece(piece: TextPiece): void {
    if (this.waiting.length === 0 && this.socket.offer(toPieceFrame(piece))) return;
    const last = this.waiting.at(-1);
    if (last && 'piece' in last && continues(last.piece, piece))
      last.piece = { ...piece, offset: last.piece.offset, text: last.piece.text + piece.text };
    else this.hold({ piece });
  }

  private hold(entry: Waiting): void {
    if (this.waiting.push(entry) > MAX_WAITING_FRAMES) this.socket.close(CLOSE.tooSlow);
  }

  private drain(): void {
    while (this.waiting.length > 0) {
      const next = this.waiting[0]!;
      if (!this.socket.offer('frame' in next ? next.frame : toPieceFrame(next.piece))) return;
      this.waiting.shift();
    }
  }
}

function continues(last: TextPiece, piece: TextPiece): boolean {
  return last.of.turnId === piece.of.turnId && last.offset + last.text.length === piece.offset;
}

/**
 * A client takes a piece that begins with all it has for a snapshot (docs/contract/chats.md#the-channel), such as the
 * second "ha" of
 * "haha": such a piece goes out as the snapshot that it would be taken for.
 */
function toPieceFrame({ of, offset, text, seq, answer }: TextPiece): Buffer {
  const before = offset > 0 && text.length >= offset ? answer.slice(0, offset) : null;
  const event = before !== null && text.startsWith(before) ? { offset: 0, text: before + text } : { offset, text };
  return toTelemetry(of, 'stage:partial_answer', event, seq);
}
