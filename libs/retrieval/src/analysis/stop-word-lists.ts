import { stopwords as bulgarian } from '@orama/stopwords/bulgarian';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian';
import type { LanguageCode } from './language.js';
import { plainLetters } from './stemming.js';
import { STOP_WORDS } from './stop-words.js';

/** Longer lists than the language needs hold words that say something (`trabajo`, `estado`): these ask and join. */
const ASKING: Partial<Record<LanguageCode, string>> = {
  de: 'was wer wem wen wessen wann wo woher wohin warum weshalb wieso wieviel viele wurde wurden worden sei bitte gibt es am im zum',
  fr: 'l d qu c j m n s t quel quelle quels quelles qui quoi quand où comment pourquoi combien est sont était être a ont avait les des du un une faut',
  es: 'qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas es son fue hay',
  it: 'l d c un dell all nell che chi cosa quale quali quando dove come perché quanto quanta quanti quante è sono era',
  pt: 'que quem qual quais quando onde como porque quanto quanta quantos quantas é são foi há',
  nl: 'wat wie welke wanneer waar hoe hoeveel waarom wordt worden',
  tr: 'ne kim hangi nasıl neden niçin nerede kaç kadar mi mı mu mü nedir kimdir',
};

const LISTS: Partial<Record<LanguageCode, readonly string[]>> = {
  bg: bulgarian,
  da: danish,
  nl: dutch,
  fi: finnish,
  fr: french,
  de: german,
  el: greek,
  hu: hungarian,
  it: italian,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  es: spanish,
  sv: swedish,
  tr: turkish,
  uk: ukrainian,
};

const sets = new Map<LanguageCode, ReadonlySet<string>>();

/** Words of a language that tell no passage from another, as `plainLetters` writes them; none where no list is known. */
export function stopWordsOf(language: LanguageCode): ReadonlySet<string> {
  let known = sets.get(language);
  if (known === undefined) {
    const words = [...(LISTS[language] ?? []), ...(ASKING[language]?.split(' ') ?? [])].map(plainLetters);
    known = language === 'en' || language === 'ar' ? STOP_WORDS : new Set(words);
    sets.set(language, known);
  }
  return known;
}
