import { questionTerms, askedHead } from '../questions/question-terms.js';
import { readingOf } from '../questions/reading.js';
import { relativesOf } from '../questions/related-words.js';

/** More would find anything. */
const MOST = 24;

/**
 * What else to look for where a question finds nothing: words that are used for the same thing as its own, and what
 * its compounds are about. Names are looked for as they are, or not at all.
 * @returns '' where there is nothing else
 */
export function otherWords(question: string): string {
  const reading = readingOf(question);
  const terms = questionTerms(question, reading).filter(({ isName }) => !isName);
  const heads = terms.flatMap((term) => term.terms.flatMap((each) => askedHead(each, reading) ?? []));
  const relatives = terms.flatMap(({ word }) => relativesOf(word, reading));
  return [...new Set([...heads, ...relatives])].slice(0, MOST).join(' ');
}
