import { isAskingWord } from '../questions/asking-words.js';
import { either, withoutAccents } from './either.js';
import { fold } from '@app/common';
import type { QuestionTerm } from '../questions/question-terms.js';
import type { Reading } from '../questions/reading.js';

/** No question for the meaning of a thing is longer. */
const LONGEST = 160;
const SUBJECT = `["“„«'‘\`*]*([^\\s?؟"”“»].{0,60}?)["”“»'’\`*]*`;
const ARTICLE = `(?:(?:an?|the|eine?n?|der|die|das|den|dem|une?|les?|las?|el|los|l'|il|lo|gli|uno|una|o|os|as|um|uma|het|de|een) )?`;
const asks = (begin: string, end = '') =>
  new RegExp(`^[\\s¿¡]*(?:${withoutAccents(begin)}) ${ARTICLE}${SUBJECT}${withoutAccents(end)}\\s*[?؟.]*\\s*$`, 'iu');

/** Each has the thing in its group. Applied to a question without accents and of bounded length. */
const QUESTIONS: readonly RegExp[] = [
  asks('what is (?:the )?(?:purpose|meaning|definition|function|role|point) of'),
  asks('what (?:is|are)', ' (?:used )?for'),
  asks('what (?:does|do)', ' (?:mean|stand for|refer to|do)'),
  asks('(?:what is meant by|what do you mean by|define|explain)'),
  asks(
    '(?:was bedeutet|was bedeuten|was heisst|was heißt|was versteht man unter|wozu dient|wozu dienen|wofur steht|wofur ist)',
  ),
  asks("(?:que signifie|que veut dire|a quoi sert|a quoi servent|qu'est-ce que c'est que|qu'entend-on par)"),
  asks('(?:que significa|para que sirven?|que se entiende por)'),
  asks('(?:che cosa significa|cosa significa|a cosa serv(?:e|ono)|che cosa si intende per)'),
  asks('(?:o que significa|para que servem?|o que se entende por)'),
  asks('(?:wat betekent|waarvoor dient|wat wordt bedoeld met)'),
  asks('(?:ما معنى|ماذا يعني|ماذا تعني|ما المقصود ب|ما تعريف)'),
];
/** What is also asked so is a fact: `What is the deposit?`; without an article, or with an indefinite one, it is what a thing is. */
const BARE = new RegExp(
  `^[\\s¿¡]*(?:what (?:is|are)(?: an?)?|was (?:ist|sind)(?: eine?)?|qu'est-ce qu(?:e|'un|'une)(?: une?)?|que (?:es|son)(?: una?)?|(?:che )?cos(?:a|') ?(?:e|sono)(?: una?| uno)?|o que (?:e|sao)(?: uma?)?|wat (?:is|zijn)(?: een)?|ما (?:هو|هي)) (?!(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli|o|os|as|het|de|my|our|your|mein|unser)(?![\\p{L}]))${SUBJECT}\\s*[?؟.]*\\s*$`,
  'iu',
);
const MOST_WORDS = 4;
/** Two of these parts speak of a fact about it: `price of a ticket`. */
const PART_OF = either(
  'of; for; in; at; on; per; von; vom; bei; fur; im; de; du; des; del; di; da; do; van; voor; and; und; et; y; e; en',
);

const TOKEN = /[\p{L}\p{N}\p{M}]+/gu;
const SAYS_WHAT = new RegExp(
  `^["'”’»)*\`\\]]*\\s*(?:\\([^)]{0,80}\\)\\s*)?(?:,[^,]{0,80},\\s*)?(?:[:：|=–—]|- |(?:${withoutAccents(
    `is|are|was|means?|refers?|denotes?|describes?|contains?|holds?|stands? for|consists?|serves?|ist|sind|bedeutet|bezeichnet|dient|dienen|heißt|enthält|steht für|
     est|sont|désigne|signifie|sert|servent|contient|es|son|significa|sirven?|contiene|designa|è|sono|indica|serve|servono|é|são|designa|zijn|betekent|dient|bevat|هو|هي|يعني|تعني|يقصد`,
  ).replaceAll(/\s*\n\s*/g, '')})(?![\\p{L}\\p{M}]))`,
  'iu',
);
const NAMES_IT =
  either(`called; termed; known as; referred to as; defined as; genannt; bezeichnet als; als; appele(?:e|s|es)?; dit; dite; llamad[oa]s?; denominad[oa]s?; chiamat[oaie];
  dett[oaie]; chamad[oa]s?; genoemd; heten; تسمى; يسمى`);

/** The terms of the thing of which a question asks what it is, means or is for; null for any other question. */
export function askedThing(question: string, reading: Reading): string[] | null {
  const asked = withoutAccents(question.trim());
  if (asked.length > LONGEST) return null;
  const plainly = QUESTIONS.map((each) => each.exec(asked)?.[1]).find(Boolean);
  const named = plainly ?? BARE.exec(asked)?.[1];
  if (named === undefined || (plainly === undefined && PART_OF.test(named))) return null;
  const words = named.match(TOKEN) ?? [];
  if (words.length > MOST_WORDS) return null;
  const terms = words.flatMap((word) => reading.analyse(word));
  return terms.length > 0 ? terms : null;
}

/** Of the terms of such a question those of the thing: "purpose" and "mean" only ask, and a text need not have them. */
export function termsOfThing(terms: QuestionTerm[], thing: readonly string[] | null): QuestionTerm[] {
  if (thing === null) return terms;
  return terms.filter((term) => term.isBefore || term.terms.some((each) => thing.includes(each)));
}

/** Whether a text says what a thing is: has it for its subject, or gives it its name. @param thing its terms */
export function saysWhat(thing: readonly string[], text: string, reading: Reading): boolean {
  return text.split('\n').some((line) => lineSaysWhat(thing, withoutAccents(line.slice(0, 400)), reading));
}

function lineSaysWhat(thing: readonly string[], line: string, reading: Reading): boolean {
  const words = [...line.matchAll(TOKEN)].map(({ 0: word, index }) => ({
    terms: reading.analyse(word),
    end: index + word.length,
    index,
    isArticle: isAskingWord(fold(word), reading.language),
  }));
  const first = words.findIndex(({ isArticle }) => !isArticle);
  for (let at = 0; at < words.length; at += 1) {
    const end = endOf(thing, words, at);
    if (end === null) continue;
    const rest = line.slice(end);
    // "The /tmp directory is …"
    if (at === first && (SAYS_WHAT.test(rest) || SAYS_WHAT.test(rest.replace(/^["'”’»)*`\]]*\s+[\p{L}\p{M}]+/u, ''))))
      return true;
    if (NAMES_IT.test(line.slice(Math.max(0, words[at]!.index - 24), words[at]!.index))) return true;
  }
  return false;
}

/** Where the words of a thing end that begins with the word at `at`. */
function endOf(
  thing: readonly string[],
  words: readonly { terms: string[]; end: number }[],
  at: number,
): number | null {
  let next = 0;
  for (let word = at; word < words.length && next < thing.length; word += 1) {
    const { terms, end } = words[word]!;
    if (terms.length === 0) continue;
    if (terms.some((term, index) => term !== thing[next + index])) return null;
    next += terms.length;
    if (next === thing.length) return end;
  }
  return null;
}
