import { fold, UNSPACED_SCRIPTS } from '@app/common';

export const QUESTION_LANGUAGES = ['en', 'ar', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;
export type QuestionLanguage = (typeof QUESTION_LANGUAGES)[number];

/** Words by which people ask and join words, as they look after folding: not what they ask about. */
const WORDS: Record<QuestionLanguage, string> = {
  en: `a an the of in on at by for from to with and or what which who whom whose when where why how is are was were be do does did
    has have had can could may might must shall should will would i me my you your we our us it its they them their he she his her this that these those there
    document documents file files text say says tell explain describe mention please give list find show question answer about according
    much many any some if as not no than then also just into per each between under after before within during only one ones so up out off
    all both most more other same such too very own against through until since while because`,
  de: `der die das den dem des ein eine einen einem einer eines und oder in im an am auf bei von vom zu zum zur fur mit nach aus um uber unter vor
    wie was wer wem wen wessen wann wo wohin woher warum weshalb wieso welche welcher welches welchen welchem viel viele ist sind war waren wird werden wurde wurden
    hat haben hatte kann konnen darf durfen muss mussen soll sollen will ich mir mich mein meine du sie er es wir uns man ihr ihre sein seine sich gibt es gilt
    dokument dokumente datei dateien bitte nenne sage zeige erklare frage antwort auch noch nur nicht als ob dass bis ab seit je pro heisst`,
  fr: `le la les l un une des du de d et ou a au aux en dans sur sous par pour avec sans chez ce cet cette ces qui que qu quoi quel quelle quels quelles quand comment combien
    pourquoi ou est sont etait sera ont a t il elle ils elles on y je j me mon ma mes tu vous votre vos nous notre nos se s son sa ses leur leurs n ne pas plus peut peuvent
    doit doivent puis faut document documents fichier fichiers texte dire dit expliquer donner trouver montrer question reponse svp jusqu`,
  es: `el la los las un una unos unas de del y o a al en con por para sin sobre entre que quien quienes cual cuales cuando cuanto cuanta cuantos cuantas como donde es son
    fue era sera ser esta estan hay ha han se lo le les su sus mi mis tu tus yo me nos nuestro puede pueden puedo debe deben hasta desde si no mas segun
    documento documentos archivo archivos texto dice dime explica lista muestra pregunta respuesta favor`,
  it: `il lo la i gli le l un uno una di del della dei delle da dal in nel nella su con per tra e o a al alla che chi cosa quale quali quando quanto quanta quanti quante come dove
    perche e sono era ha hanno si puo possono deve devono mio mia documento documenti file testo domanda risposta`,
  pt: `o a os as um uma de do da dos das em no na nos nas e ou ao com por para sem que quem qual quais quando quanto quanta quantos quantas como onde e sao foi era ha tem se
    pode podem deve devem meu minha documento documentos arquivo texto pergunta resposta ate desde`,
  nl: `de het een van in op aan bij met voor naar uit om en of te is zijn was waren wordt worden heeft hebben kan kunnen mag moet moeten wat wie waar wanneer waarom hoe hoeveel welke welk
    ik mijn je u uw wij ons zij er dit dat deze die document bestand tekst vraag antwoord`,
  ar: `في من علي الي عن ان انه هذا هذه ذلك هو هي هم ما ماذا متي اين كيف كم لماذا هل اي كل مع او و التي الذي كان كانت يكون تكون يوجد توجد يبلغ تبلغ عدد
    مستند المستند المستندات ملف الملف نص اشرح اذكر وضح سوال جواب يستطيع يمكن يجب يتم`,
};

/** Of languages that have their script to themselves: none of them is a word of another one. */
const OF_OTHER_SCRIPTS = new Set(
  fold(`что кто кого кому чем чего где куда откуда когда как какой какая какое какие каких какова каков каковы сколько почему зачем чей чья чьи ли и или в во на по о об от до из за к у с со для при
    это этот эта эти того тот та то те есть был была было были будет не ни но а же бы я мы вы он она они мой мне нас вас его ее их который которая которые можно нужно надо должен должна должны
    скажи расскажи покажи найди документ документе документы файл файле вопрос ответ пожалуйста является
    τι ποιος ποια ποιο ποιοι ποιες ποιους που ποτε πως πωσ ποσο ποσα ποσοι ποσες ποση γιατι ειναι ηταν εχει εχουν ο η το οι τα του της των τον την τις τους στο στη στην στον στα και να για με απο σε θα δεν μας μου σας
    क्या कौन किस किसे किसका किसकी किसके कब कहाँ कहां कैसे कितना कितनी कितने क्यों कौनसा है हैं था थी थे हो होगा होगी का की के को में से पर और या तक के लिए लिए यह वह ये वे इस उस मुझे मैं हम आप कृपया बताएं बताइए दस्तावेज़ फ़ाइल
    무엇 무엇인가요 무엇입니까 무엇인가 뭐 언제 언제인가요 언제입니까 언제부터 언제까지 어디 어디인가요 어디입니까 어디에 어디서 누구 누구인가요 누구입니까 누가 얼마 얼마인가요 얼마입니까 얼마나 몇 어떤 어느 어떻게 왜
    있나요 있습니까 하나요 합니까 되나요 됩니까 인가요 입니까 입니다 이다 대한 대해 관한 및 또는 그리고 이 그 저 문서 파일 알려줘 알려주세요
    מה מהו מהי מהם מהן מי מיהו מיהי מיהם מתי היכן איפה כמה איך כיצד למה מדוע האם איזה איזו אילו של את על עם או גם לא הוא היא הם זה זו זאת`).split(
    /\s+/,
  ),
);

const SETS = new Map(QUESTION_LANGUAGES.map((language) => [language, new Set(fold(WORDS[language]).split(/\s+/))]));

/**
 * Words that say little beside the others of a question: an answer is seldom without them for want of an answer.
 * As they look after folding.
 */
const LIGHT = new Set(
  fold(
    `get gets got receive receives need needs needed make makes made take takes took use used go goes come comes happen happens offer offers provide provides
    work works long name names called kind number amount total company company's people person people's day time year years currently exactly please much high big large
    old end still new first different mean means put keep keeps keeping belong apply applies go full allowed possible available current
    beträgt bekommen bekomme bekommt erhalten erhalte zahlen hoch lange gross oft namen jahr viel findet statt insgesamt heute
    recevoir obtenir avoir faire prix nombre montant temps est-il jour annee nom
    recibir recibe tiene tener hacer cuesta numero cantidad tiempo dia ano nombre necesita
    يحصل تحصل الحصول يستحق مدة اسم رقم`,
  ).split(/\s+/),
);

/** @param word folded */
export function isAskingWord(word: string, language: QuestionLanguage): boolean {
  return SETS.get(language)!.has(word) || OF_OTHER_SCRIPTS.has(word);
}

/** @param word folded */
export function isLight(word: string): boolean {
  return LIGHT.has(word);
}

/** Of languages of which we know neither relatives of words nor what shows which kind of answer. */
const BARE_SCRIPTS = new RegExp(String.raw`[${UNSPACED_SCRIPTS}\p{Script=Hangul}\p{Script=Devanagari}]`, 'gu');

/** Whether most letters of a question are of such a script. */
export function isInBareScript(question: string): boolean {
  return (question.match(BARE_SCRIPTS)?.length ?? 0) * 2 > (question.match(/[\p{L}\p{M}]/gu)?.length ?? 0);
}

/** How many words of a text are asking words of the language that has most of them. */
export function askingWordsIn(words: readonly string[]): number {
  return Math.max(...[...SETS.values()].map((set) => words.filter((word) => set.has(fold(word))).length));
}

const LETTER_HINTS: [RegExp, QuestionLanguage][] = [
  [/[¿¡ñ]/iu, 'es'],
  [/[äöüß]/iu, 'de'],
  [/[ãõ]/iu, 'pt'],
  [/[êèçœù]/iu, 'fr'],
];

/** Of Turkish, Vietnamese, Polish and others that have no words here. Names have them, too. */
const OTHER_LETTERS =
  /[\u0102-\u0107\u010c-\u0111\u0118-\u011b\u011e\u011f\u0130\u0131\u0141-\u0148\u0150\u0151\u0158-\u0161\u0164\u0165\u016e-\u0171\u0179-\u017e\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u1ea0-\u1ef9]/u;
const TELLING_BESIDE_OTHER_LETTERS = 2;

/** The language of a question by the words it is asked with; English where nothing tells another. */
export function questionLanguage(question: string): QuestionLanguage {
  return saidLanguage(question) ?? 'en';
}

/** The same; null where nothing tells. */
export function saidLanguage(question: string): QuestionLanguage | null {
  const arabic = question.match(/\p{Script=Arabic}/gu)?.length ?? 0;
  if (arabic * 2 > (question.match(/\p{L}/gu)?.length ?? 0)) return 'ar';
  const words = fold(question.slice(0, 1000)).match(/\p{L}+/gu) ?? [];
  const hasOthers = OTHER_LETTERS.test(question.normalize('NFC'));
  const hinted = hasOthers ? undefined : LETTER_HINTS.find(([letters]) => letters.test(question))?.[1];
  let best: { language: QuestionLanguage | null; count: number } = { language: null, count: 0 };
  for (const language of QUESTION_LANGUAGES) {
    const count = words.filter((word) => SETS.get(language)!.has(word)).length + (language === hinted ? 1.5 : 0);
    if (count > best.count) best = { language, count };
  }
  return hasOthers && best.count < TELLING_BESIDE_OTHER_LETTERS ? null : best.language;
}
