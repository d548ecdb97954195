/** Something that is kept of a user over conversations. */
export interface Memory {
  id: string;
  /** `preference`, `fact` and the like. */
  kind: string;
  text: string;
  /** 0 to 1. */
  confidence: number;
}

export interface Exchange {
  turnId: string;
  conversationId: string;
  question: string;
  answer: string;
}

/** What became of something that might have been kept; for `stage:memory_persisted` and `stage:memory_skipped`. */
export interface MemoryDecision {
  isPersisted: boolean;
  text: string;
  kind: string;
  memoryId: string | null;
  confidence: number;
  supersededId: string | null;
}

/** Long-term memory. Neither call may hold up or fail a turn. */
export abstract class Memories {
  abstract recall(userId: number, question: string, signal: AbortSignal): Promise<Memory[]>;
  abstract consider(userId: number, exchange: Exchange, signal: AbortSignal): Promise<MemoryDecision[]>;
}

/** Nothing is kept. */
export class NoMemories extends Memories {
  recall(): Promise<Memory[]> {
    return Promise.resolve([]);
  }

  consider(): Promise<MemoryDecision[]> {
    return Promise.resolve([]);
  }
}
