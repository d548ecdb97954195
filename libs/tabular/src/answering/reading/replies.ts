import type { Choice } from '../asked-table.js';
import { choicesOf } from './clarification.js';
import { LANGUAGE_CODES, type LanguageCode } from './lexicon/languages.js';
import type { UnclearQuestion } from './reading.js';
import { sameWord, wordsOf } from './words.js';

/** Words by which a choice is told by its place. */
const PLACES: readonly RegExp[] = [
  /^(?:1|1st|first|erste[nrs]?|premi[eè]re?|primer[oa]?|prim[oa]|primeir[oa]|eerste|الاول|الأول|الاولي|الأولى)$/iu,
  /^(?:2|2nd|second|zweite[nrs]?|deuxi[eè]me|seconde?|segund[oa]|second[oa]|tweede|الثاني|الثانيه|الثانية)$/iu,
  /^(?:3|3rd|third|dritte[nrs]?|troisi[eè]me|tercer[oa]?|terz[oa]|terceir[oa]|derde|الثالث|الثالثه|الثالثة)$/iu,
];
/** What leads to a choice, or follows one, and says nothing of it. */
const BESIDE =
  /^(?:the|by|i|mean|meant|use|take|please|one|of|it|is|its|das|der|die|nach|ich|meine|bitte|le|la|les|par|je|veux|dire|s'il|vous|plaît|el|los|por|favor|il|lo|per|favore|o|a|het|de|op|met|graag)$/iu;
const COUNTING = /^(?:number|count|anzahl|zahl|nombre|número|numero|aantal|عدد)(?: \S+)?$/iu;
const ALL = ['en', ...LANGUAGE_CODES] as const;
/** A reply says little more than a part of a choice. */
const MOST_WORDS = 12;

/**
 * Which of the choices a person took of those that they were asked back with: in its words, by a part of them that no other
 * choice has, or by its place.
 * @returns its place, null where the text is no reply to this
 */
export function choiceIn(text: string, unclear: UnclearQuestion, language: LanguageCode): number | null {
  const exact = choiceSaid(text, unclear);
  if (exact !== null) return exact;
  const said = wordsIn(text);
  if (said.length > MOST_WORDS) return null;
  const shown = choicesOf(unclear, language).map(wordsIn);
  const telling = said.filter((word) => !BESIDE.test(word));
  const place = PLACES.findIndex((sign) => telling.length === 1 && sign.test(telling[0]!));
  // A number may be a choice itself.
  const isPlain = unclear.what === 'readings' || shown.every((words) => !words.includes(telling[0] ?? ''));
  if (place >= 0 && place < shown.length && isPlain) return place;
  // "By number of orders"
  const rows = unclear.choices.indexOf('number of rows');
  if (rows >= 0 && telling.length <= 3 && COUNTING.test(telling.join(' ')))
    return rows + (unclear.readings?.length ?? 0);
  const near = shown.flatMap((words, at) => (isWithin(telling, words) ? [at] : []));
  return near.length === 1 ? near[0]! : null;
}

/** The choice that the text is, word for word. An answer may be in another language than its question. */
export function choiceSaid(text: string, unclear: UnclearQuestion): number | null {
  const said = wordsIn(text).join(' ');
  const places = ALL.map((language) =>
    choicesOf(unclear, language).findIndex((choice) => wordsIn(choice).join(' ') === said),
  );
  return places.find((place) => place >= 0) ?? null;
}

function isWithin(said: readonly string[], words: readonly string[]): boolean {
  return said.length > 0 && said.every((word) => words.some((own) => sameWord(own, word)));
}

/** What a person chose, for those who read the question again; null where a whole way to read it was chosen. */
export function chosenBy({ what, about, choices, readings = [] }: UnclearQuestion, at: number): Choice | null {
  const choice = choices[at - readings.length];
  return what === 'readings' || choice === undefined ? null : { what, about, choice };
}

function wordsIn(text: string): string[] {
  return wordsOf(text.replace(/["“”„«»]/g, ' ')).map(({ norm }) => norm);
}
