/** Something that is kept of a user over conversations. */
export interface Memory {
  id: string;
  /** `preference`, `fact` and the like. */
  kind: string;
  text: string;
  /** 0 to 1. */
  confidence: number;
  /** Whose words the conversation held that it was learnt in, by key, with labels for people. */
  heard: Readonly<Record<string, string>>;
}

/** Who is reminded. */
export interface Reminded {
  userId: number;
  /** Whether it is a model of the house: others read nothing that was learnt there. */
  onPremises: boolean;
}

export interface MemoryRoom {
  tokens: number;
  /** What the conversation shows of earlier turns. */
  before: string;
}

/** Long-term memory. Neither call may hold up or fail a turn. */
export abstract class Memories {
  /** @param room what all may take, and what need not be said again */
  abstract recall(reminded: Reminded, question: string, room: MemoryRoom): Promise<Memory[]>;
  /** Has the turn looked through, after its end, for what is worth keeping of its user. */
  abstract consider(userId: number, turnId: string): Promise<void>;
}
