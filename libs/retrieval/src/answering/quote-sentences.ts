import { analyse } from '../analysis/analyse.js';
import { isHeading, sentencesOf } from './sentences.js';

export interface Quote {
  /** Index of the passage. */
  passage: number;
  text: string;
}

interface Sentence extends Quote {
  terms: ReadonlySet<string>;
  /** Of the headings that it stands under. */
  headings: ReadonlySet<string>;
}

const QUOTES = 3;
/** A passage must hold this much of what the question's words weigh, or that many of them, or none answers it. */
const ANSWERS_FROM_WEIGHT = 0.35;
const ANSWERS_FROM_COUNT = 1 / 3;
/** A further quote must weigh this much of the first one, where words that an earlier quote has count less. */
const WORTH_ADDING = 0.3;
const SAID_BEFORE = 0.4;
/** What a word is worth that only the heading of a sentence has. */
const IN_HEADING = 0.5;
/** Longer ones are tables or text without sentence ends; they are cut. */
const MAX_LENGTH = 600;

/** Words by which people ask, not what they ask about; dropped unless nothing else remains. */
const ASKING = new Set(
  analyse(
    `document documents file files text say says tell explain describe mention please may can could should would
     must many much give list find show question answer about according long مستند المستند ملف الملف نص اشرح اذكر وضح سؤال جواب`,
  ),
);

export function subjectOf(question: string): string[] {
  const terms = [...new Set(analyse(question))];
  const subject = terms.filter((term) => !ASKING.has(term));
  return subject.length > 0 ? subject : terms;
}

/**
 * The sentences that share most with the question, rare words counting more (overlap weighted by idf over the
 * sentences at hand), each further one chosen for what the earlier ones lack; none when even the best passage has too
 * little of it. Best first.
 * @param passages best first
 */
export function quoteSentences(question: string, passages: readonly string[]): Quote[] {
  const subject = subjectOf(question);
  const sentences = passages.flatMap((text, passage) => underHeadings(sentencesOf(text), passage));
  if (subject.length === 0 || sentences.length === 0) return [];
  const weights = new Map(
    subject.map((term) => {
      const found = sentences.filter(({ terms }) => terms.has(term)).length;
      return [term, Math.log(1 + (sentences.length + 0.5) / (found + 0.5))];
    }),
  );
  const weigh = (terms: ReadonlySet<string>, covered: ReadonlySet<string> = new Set()) =>
    subject.reduce(
      (sum, term) => sum + (terms.has(term) ? weights.get(term)! * (covered.has(term) ? SAID_BEFORE : 1) : 0),
      0,
    );
  const all = weigh(new Set(subject));
  const answering = passages.some((text) => {
    const terms = new Set(analyse(text));
    const present = subject.filter((term) => terms.has(term)).length;
    return weigh(terms) >= ANSWERS_FROM_WEIGHT * all || present >= ANSWERS_FROM_COUNT * subject.length;
  });
  if (!answering) return [];

  const covered = new Set<string>();
  // A heading repeats the question's words and says nothing; a better passage breaks ties.
  const score = ({ terms, headings, passage }: Sentence) => {
    const own = weigh(terms, covered);
    const withHeadings = weigh(new Set([...terms, ...headings]), covered);
    return (own + IN_HEADING * (withHeadings - own)) * Math.min(1, terms.size / 5) * (1 - passage * 0.03);
  };
  const chosen: Sentence[] = [];
  let least = Number.MIN_VALUE;
  while (chosen.length < QUOTES) {
    // Passages overlap, and one may end within a sentence that the next one has whole.
    const rest = sentences.filter(
      ({ text }) => !chosen.some((quote) => quote.text.includes(text) || text.includes(quote.text)),
    );
    const [best] = rest.map((sentence) => ({ sentence, score: score(sentence) })).sort((a, b) => b.score - a.score);
    if (!best || best.score < least) break;
    if (chosen.length === 0) least = WORTH_ADDING * best.score;
    chosen.push(best.sentence);
    for (const term of best.sentence.terms) covered.add(term);
  }
  return chosen.map(({ passage, text }) => ({
    passage,
    text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text,
  }));
}

/** Sentences with the terms of the headings, one after the other, that stand directly above their section. */
function underHeadings(texts: readonly string[], passage: number): Sentence[] {
  let headings: ReadonlySet<string> = new Set();
  let isBelow = false;
  return texts.map((text) => {
    const terms = new Set(analyse(text));
    const above = headings;
    if (!isHeading(text)) {
      isBelow = true;
      return { passage, text, terms, headings: above };
    }
    headings = isBelow ? terms : new Set([...headings, ...terms]);
    isBelow = false;
    return { passage, text, terms, headings: new Set<string>() };
  });
}
