/** An earlier turn, before it is read. */
export interface PlannableTurn {
  id: string;
  /** About how much a model reads of it: with what was done in it, and of question and answer alone. */
  whole: number;
  brief: number;
}

export interface PlannedTurn {
  id: string;
  isWhole: boolean;
}

/** One of so many turns is where a shortened history may begin. */
const ANCHORS = 4;
const LOOKS = 8;
/** What question and answer alone of older turns may take beside the newest ones, as a share. */
const BRIEF_SHARE = 0.35;

/**
 * The newest turns whole, older ones in question and answer, as many as there is room for. Where it stops being so moves
 * by some turns at a time rather than with each turn, so that prompts that follow each other begin the same. The newest
 * turn is there in any case, in question and answer where it finds no room.
 * @param turns oldest first
 */
export function planHistory(turns: readonly PlannableTurn[], tokens: number): PlannedTurn[] {
  const all = turns.reduce((sum, { whole }) => sum + whole, 0);
  if (all <= tokens) return turns.map(({ id }) => ({ id, isWhole: true }));
  const wholeFrom = anchored(turns, firstThatFits(turns, tokens * (1 - BRIEF_SHARE), 'whole', turns.length));
  const fittingFrom = anchored(turns, firstThatFits(turns, tokens * BRIEF_SHARE, 'brief', wholeFrom), wholeFrom);
  // The newest one is never missing: whoever goes on from it shortens it.
  const briefFrom = Math.min(fittingFrom, turns.length - 1);
  return turns.slice(briefFrom).map(({ id }, index) => ({ id, isWhole: briefFrom + index >= wholeFrom }));
}

function firstThatFits(turns: readonly PlannableTurn[], tokens: number, form: 'whole' | 'brief', end: number): number {
  let left = tokens;
  let from = end;
  while (from > 0 && turns[from - 1]![form] <= left) {
    from -= 1;
    left -= turns[from]![form];
  }
  return from;
}

function anchored(turns: readonly PlannableTurn[], from: number, end = turns.length): number {
  if (from === 0) return 0;
  for (let at = from; at < Math.min(end, from + LOOKS); at += 1)
    if (Number.parseInt(turns[at]!.id.at(-1)!, 16) % ANCHORS === 0) return at;
  return from;
}
