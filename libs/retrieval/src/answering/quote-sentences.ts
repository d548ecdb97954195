import { quotedText } from '../text/sentences.js';
import { gatherEvidence, type Candidate, type Evidence } from './evidence.js';
import type { QuotedPassage } from './quoted-passage.js';
import { isSupported, rankOf } from './judge-evidence.js';
import { MATCH } from './term-match.js';
import type { Piece } from './placed-sentences.js';
import { questionsIn } from '../questions/several-questions.js';

/** A statement of a passage, word for word. */
export interface Quote {
  /** Index of the passage. */
  passage: number;
  /** Where its parts stand in the text of the passage, in order: a row of a table and its header may be apart. */
  pieces: Piece[];
  /** The parts as they are shown, one to a line. */
  text: string;
}

export interface QuoteChoice {
  /** Best first; none where the passages do not answer. */
  quotes: Quote[];
  /** Names of the question that nothing at hand knows. */
  unknown: string[];
  /** Of several questions that were asked at once, as they were written: those without a quote where others have one. */
  unanswered: string[];
}

const QUOTES = 3;
/** How far below the first a further quote may rank, and what of the question's weight it must add. */
const WORTH_ADDING = { within: 3.5, share: 0.1 };
/** A statement that says what a thing is, where that is asked, stands before those that mention it. Chosen, not fitted. */
const DEFINES = 4;
/** One that adds no word may be what was asked for all the same. */
const AS_GOOD_WITHIN = 1.8;

/**
 * The statements that answer what is asked, those of several questions in turns; none when the passages answer none of
 * them.
 * @param question its last line is what is asked, earlier ones are what it leans on
 * @param passages best first
 */
export function quoteSentences(question: string, passages: readonly QuotedPassage[]): QuoteChoice {
  const questions = questionsIn(question);
  const choices = questions.map((each) => quotesFor(each, passages));
  if (choices.length === 1) return choices[0]!;
  const quotes: Quote[] = [];
  for (let round = 0; round < QUOTES; round += 1)
    for (const { quotes: own } of choices) {
      const next = own[round];
      if (next && quotes.length < QUOTES && !quotes.some((quote) => quote.text.includes(next.text))) quotes.push(next);
    }
  const unanswered = quotes.length === 0 ? [] : questions.filter((_, at) => choices[at]!.quotes.length === 0);
  return {
    quotes,
    unknown: [...new Set(choices.flatMap(({ unknown }) => unknown))],
    unanswered: unanswered.map((each) => each.split('\n').at(-1)!.trim()),
  };
}

/**
 * The statements that answer one question, each further one chosen for what the earlier ones lack; none when the
 * passages have too little of it, or nothing at hand knows whom or what it names.
 */
function quotesFor(question: string, passages: readonly QuotedPassage[]): QuoteChoice {
  const evidence = gatherEvidence(question, passages);
  const ranked = evidence.candidates
    .map((candidate) => ({ candidate, rank: rankOf(candidate.features) + (candidate.defines ? DEFINES : 0) }))
    .sort((left, right) => right.rank - left.rank);
  const [best] = ranked;
  const { unknown } = evidence;
  const several = new Set(passages.map(({ document }) => document)).size > 1;
  if (
    !best ||
    evidence.terms.length === 0 ||
    unknown.length > 0 ||
    (evidence.byWordsAlone && !best.candidate.hasAll) ||
    !isSupported(best.candidate.features, best.rank, several)
  )
    return { quotes: [], unknown, unanswered: [] };
  const chosen = [best.candidate];
  for (const { candidate, rank } of ranked) {
    if (chosen.length === QUOTES || rank < best.rank - WORTH_ADDING.within) break;
    if (chosen.some((quote) => repeats(candidate, quote, passages))) continue;
    const isAsGood = rank >= best.rank - AS_GOOD_WITHIN;
    if (isAsGood || added(candidate, chosen, evidence) >= WORTH_ADDING.share) chosen.push(candidate);
  }
  return { quotes: chosen.map((candidate) => toQuote(candidate, passages)), unknown, unanswered: [] };
}

/** Of the weight of all words, those that only this one has. */
function added({ own }: Candidate, chosen: readonly Candidate[], { weights }: Evidence): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const news = weights.filter((_, at) => own[at]! >= MATCH && chosen.every((quote) => quote.own[at]! < MATCH));
  return news.reduce((sum, weight) => sum + weight, 0) / Math.max(all, 1e-9);
}

/** Whether one says what the other does: passages overlap, and a header stands with each of its rows. */
function repeats(one: Candidate, other: Candidate, passages: readonly QuotedPassage[]): boolean {
  const [left, right] = [one, other].map((each) => toQuote(each, passages).text);
  if (left!.includes(right!) || right!.includes(left!)) return true;
  if (one.passage !== other.passage) return false;
  const last = one.statement.pieces.at(-1)!;
  return other.statement.pieces.some(({ start, end }) => start < last.end && last.start < end);
}

function toQuote(
  { passage, statement: { pieces, isList, isCut } }: Candidate,
  passages: readonly QuotedPassage[],
): Quote {
  const { text } = passages[passage]!;
  const shown = pieces.flatMap(({ start, end }) => {
    if (!isList) return [quotedText(text, { start, end })];
    return text
      .slice(start, end)
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter(Boolean);
  });
  return { passage, pieces, text: `${shown.join('\n')}${isCut ? '…' : ''}` };
}
