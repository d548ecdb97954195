import type { LiveMessages } from '@app/contracts';

type TextPiece = LiveMessages[`run-text:${string}`];

/** Pieces of what the nodes of a run write, as they are heard of: in order, with gaps where a message was lost. */
export class RunTextReader {
  private readonly pieces: TextPiece[] = [];
  private attempt: number | null = null;
  private isBroken = false;
  private resolveWoken: () => void = () => undefined;

  constructor(private readonly runVersion: number) {}

  take(piece: TextPiece): void {
    if (piece.runVersion !== this.runVersion) return;
    this.pieces.push(piece);
    this.resolveWoken();
  }

  wake(): void {
    this.resolveWoken();
  }

  /** Resolves when something comes after this call. */
  woken(): Promise<void> {
    return new Promise((resolve) => (this.resolveWoken = resolve));
  }

  /**
   * @param told what has been told of the text
   * @returns what follows on that without a gap; nothing any more after one, or when another try writes another text
   */
  *read(nodeId: string | null, told: string): Generator<string, void> {
    let length = told.length;
    for (const piece of this.pieces.splice(0)) {
      if (piece.nodeId !== nodeId) continue;
      this.attempt ??= piece.attempt;
      const fresh = piece.text.slice(Math.max(0, length - piece.offset));
      if (piece.attempt !== this.attempt || piece.offset > length) this.isBroken = true;
      if (this.isBroken || fresh === '') continue;
      length += fresh.length;
      yield fresh;
    }
  }
}
