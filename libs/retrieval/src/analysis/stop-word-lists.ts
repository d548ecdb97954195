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
  sv: 'vad vem vems vilken vilket vilka var vart när hur hög högt lång långt länge mycket många kostar är gäller',
  da: 'hvad hvem hvis hvilken hvilket hvilke hvor hvornår hvordan hvorfor høj højt lang langt længe meget mange koster er gælder',
  no: 'hva hvem hvilken hvilket hvilke hvor når hvordan hvorfor høy høyt lang langt lenge mye mange koster er gjelder',
  fi: 'mikä mitä kuka kenen mikä milloin missä miten miksi kuinka paljonko montako paljon monta pitkä on ovat',
  pl: `ile kto kogo komu czyj czyja jaki jaka jakie jakiego jakiej co czego kiedy gdzie skąd dokąd jak dlaczego czy który która które jest są był była było były
    wynosi wynoszą kosztuje trwa ma mają i w we z ze na do od po o za dla przez przy lub oraz się nie to ten ta te tego tej proszę`,
  cs: `kolik kdo koho komu čí jaký jaká jaké jakého jakou co čeho kdy kde kam odkud jak proč zda který která které je jsou byl byla bylo
    činí stojí trvá má mají a v ve z ze na do od po o za pro při nebo se ne to ten ta te prosím`,
  ro: 'cât câtă câți câte cine cui ce care când unde cum de ce este sunt costă durează are au',
  hu: 'mennyi mennyibe hány ki kinek kié mi mit mikor hol hová honnan hogyan miért melyik milyen meddig van vannak kerül tart a az',
  vi: 'bao nhiêu là ai gì nào khi đâu như thế sao có của và cho trong ở về được mấy bằng lâu này đó',
  el: 'πόσο πόσα πόσοι πόσες πόση ποιος ποια ποιο ποιοι τι πότε πού πώς γιατί είναι ήταν έχει έχουν',
  ru: 'кто что кого чего где когда куда как какой какая какое какие каков какова сколько почему зачем чей чья является составляет составляют стоит',
  uk: 'хто що кого чого де коли куди як який яка яке які скільки чому навіщо чий чия є становить становлять коштує',
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
