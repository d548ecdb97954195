/** The outcome of a call that is too long to be shown. */
export interface NewResult {
  /** Step and place in the step: a repetition of the call replaces what it kept before. */
  place: string;
  tool: string;
  text: string;
}

export interface KeptResult {
  tool: string;
  text: string;
}

/** Where long results of calls stand for a while: those of one turn are written, those of its conversation are read. */
export interface ResultStore {
  /** @returns what the model names it by; null where there is no room for it */
  keep(result: NewResult): Promise<string | null>;
  /** Null for what is not there, is there no longer, or belongs to somebody else. */
  find(handle: string): Promise<KeptResult | null>;
}

/** Of one result; more is cut off, and said so. */
export const MAX_KEPT_CHARACTERS = 4_000_000;
/** Of all results of one turn. */
export const MAX_TURN_CHARACTERS = 32_000_000;
