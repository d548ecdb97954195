import { analyse } from '../analysis/analyse.js';
import { sentencesOf } from './sentences.js';

export interface Quote {
  /** Index of the passage. */
  passage: number;
  text: string;
}

const QUOTES = 3;
/** The passages must hold this much of what the question's words weigh, or they do not answer it. */
const ANSWERS_FROM = 0.35;
/** A further quote must weigh this much of the first one. */
const WORTH_ADDING = 0.45;
/** Longer ones are tables or text without sentence ends; they are cut. */
const MAX_LENGTH = 600;

/** Words by which people ask, not what they ask about; dropped unless nothing else remains. */
const ASKING = new Set(
  analyse(
    `document documents file files text say says tell explain describe mention please many much give list find show
     question answer about according مستند المستند ملف الملف نص اشرح اذكر وضح سؤال جواب`,
  ),
);

export function subjectOf(question: string): string[] {
  const terms = [...new Set(analyse(question))];
  const subject = terms.filter((term) => !ASKING.has(term));
  return subject.length > 0 ? subject : terms;
}

/**
 * The sentences that share most with the question, rare words counting more (overlap weighted by idf over the
 * sentences at hand); none when even the best passage has too little of it. Best first.
 * @param passages best first
 */
export function quoteSentences(question: string, passages: readonly string[]): Quote[] {
  const subject = subjectOf(question);
  const sentences = passages.flatMap((text, passage) =>
    sentencesOf(text).map((sentence) => ({ passage, text: sentence, terms: new Set(analyse(sentence)) })),
  );
  if (subject.length === 0 || sentences.length === 0) return [];
  const weights = new Map(
    subject.map((term) => {
      const found = sentences.filter(({ terms }) => terms.has(term)).length;
      return [term, Math.log(1 + (sentences.length + 0.5) / (found + 0.5))];
    }),
  );
  const weigh = (terms: ReadonlySet<string>) =>
    subject.reduce((sum, term) => sum + (terms.has(term) ? weights.get(term)! : 0), 0);
  const all = weigh(new Set(subject));
  if (Math.max(...passages.map((text) => weigh(new Set(analyse(text))))) < ANSWERS_FROM * all) return [];

  const ranked = sentences
    // A heading repeats the question's words and says nothing; a better passage breaks ties.
    .map((sentence) => ({
      ...sentence,
      score: weigh(sentence.terms) * Math.min(1, sentence.terms.size / 5) * (1 - sentence.passage * 0.03),
    }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score);
  const chosen: typeof ranked = [];
  for (const sentence of ranked) {
    if (chosen.length === QUOTES || sentence.score < WORTH_ADDING * ranked[0]!.score) break;
    // Passages overlap.
    if (!chosen.some(({ text }) => text === sentence.text)) chosen.push(sentence);
  }
  return chosen.map(({ passage, text }) => ({
    passage,
    text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text,
  }));
}
