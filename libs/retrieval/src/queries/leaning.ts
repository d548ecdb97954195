import { questionLanguage } from '../questions/asking-words.js';
import { questionTerms, type QuestionTerm } from '../questions/question-terms.js';
import { readingOf } from '../questions/reading.js';
import { pointersIn } from './pointing-words.js';

/** A pasted page is no question: nothing is made of it. */
const LONG = 1_000;
/** Questions of fewer terms may lean on what was said before ("and in 2024?"). */
const STANDS_ALONE_FROM = 3;
/** One that begins as if it went on has to say more itself. */
const GOES_ON_FROM = 5;
/** "How do employees hand in their receipts?": who was named in the question needs no other. */
const NAMED_BEFORE = 2;
/** From here on no model has to be asked: a name, and what is asked of it, or a whole sentence. */
const SURE_FROM = { named: 3, unnamed: 5 };
/** The same of a question that a talk began with: it names its subject, or is as long as those that do. */
const TOPIC_FROM = { named: 2, unnamed: 4 };

/** How questions begin that go on where the last one ended. */
const GOES_ON =
  /^[\s¿¡"'–-]*(?:(?:and|but|or|so|what about|how about|und|aber|oder|was ist mit|wie (?:sieht|steht|ist) es mit|et|mais|ou|y|e|pero|o|ma|mas|en|maar|of)(?![\p{L}\p{M}])|و(?=\p{L})|ماذا عن)/iu;

export const isLong = (question: string): boolean => question.length > LONG;

/**
 * Whether a question leans on the one before it, by its words: it points back, or says too little by itself. Rather no
 * than yes, as the words of the earlier question will count.
 */
export function pointsBack(question: string): boolean {
  const { thing, person } = pointersIn(question, questionLanguage(question));
  if (thing || (person !== null && !namesOthers(person))) return true;
  return termsOf(question).length < (GOES_ON.test(question) ? GOES_ON_FROM : STANDS_ALONE_FROM);
}

/**
 * Whether it may lean on the conversation in a way that only a reader sees ("How high is the excess?"): rather yes than
 * no, as a model is asked then and may leave the question as it is.
 */
export function leansOnConversation(question: string): boolean {
  if (isLong(question)) return false;
  const { thing, person } = pointersIn(question, questionLanguage(question));
  return thing || person !== null || GOES_ON.test(question) || pointsBack(question) || !says(question, SURE_FROM);
}

/** Whether a question tells by itself what a talk is about. */
export function saysItsTopic(question: string): boolean {
  return isLong(question) || (!pointsBack(question) && !GOES_ON.test(question) && says(question, TOPIC_FROM));
}

function namesOthers(before: string): boolean {
  return termsOf(before).filter(({ isLight }) => !isLight).length >= NAMED_BEFORE;
}

function says(question: string, from: { named: number; unnamed: number }): boolean {
  const terms = termsOf(question);
  return terms.length >= (terms.some(({ isName }) => isName) ? from.named : from.unnamed);
}

/** Its lines belong together; `questionTerms` takes those above the last for earlier questions. */
export function termsOf(question: string): QuestionTerm[] {
  const line = question.slice(0, LONG).replaceAll(/\s+/g, ' ');
  return questionTerms(line, readingOf(line));
}
