/** A word of a question in its place. */
export interface Placed {
  /** Number of the sentence, or of the part before or after a colon. */
  segment: number;
  /** Whether it is of those that tell what to do (`instructs`). */
  instructs: boolean;
}

/** A part of a question of which so much instructs, of so many words, is an instruction. */
const MOSTLY = 0.5;
const FEWEST = 4;
/** So many in a row are an instruction though nothing parts them from what it is about; one other word may be between. */
const RUN = 5;

/** What words of an instruction weigh beside those of the question: they tell nothing of what is looked for. */
const INSTRUCTING = 0.05;
const AMONG_INSTRUCTIONS = 0.3;

/**
 * What each word of a question weighs, 0 to 1: less where it only says what to do ("Please find passages that support
 * the following claim: ..."). All weigh 1 where nothing is left beside instructions.
 */
export function fillerWeights(words: readonly Placed[]): number[] {
  const weights = words.map(() => 1);
  for (const segment of new Set(words.map((word) => word.segment))) weighSegment(words, segment, weights);
  weighRuns(words, weights);
  return weights.some((weight) => weight === 1) ? weights : words.map(() => 1);
}

function weighSegment(words: readonly Placed[], segment: number, weights: number[]): void {
  const places = [...words.keys()].filter((at) => words[at]!.segment === segment);
  const instructing = places.filter((at) => words[at]!.instructs).length;
  const others = places.length < words.length;
  if (!others || places.length < FEWEST || instructing < MOSTLY * places.length) return;
  for (const at of places) weights[at] = words[at]!.instructs ? INSTRUCTING : AMONG_INSTRUCTIONS;
}

function weighRuns(words: readonly Placed[], weights: number[]): void {
  let run: number[] = [];
  const end = () => {
    if (run.length >= RUN) for (const at of run) weights[at] = INSTRUCTING;
    run = [];
  };
  for (const [at, word] of words.entries()) {
    if (word.instructs) run.push(at);
    else if (!words[at + 1]?.instructs || !words[at - 1]?.instructs) end();
  }
  end();
}
