import { analyse } from '../analysis/analyse.js';

/** What an answer to a question must have in it. */
export type AnswerKind = 'number' | 'money' | 'date' | 'duration' | 'person' | 'contact' | 'share';

const either = (words: string) => new RegExp(`(?<![\\p{L}\\p{M}])(?:${words.trim().replace(/\s*\n\s*/g, '|')})(?![\\p{L}\\p{M}])`, 'iu');

/** In this order: the first that fits says what is asked for. Applied to a question that is cut to a bounded length. */
const ASKED: [AnswerKind, RegExp][] = [
  ['contact', either(`phone number
    telephone number
    e-?mail address
    contact details
    reach
    telefonnummer
    numéro de téléphone
    teléfono
    رقم`)],
  ['share', either(`what (?:percentage|share|percent)
    wie viel prozent
    quel pourcentage
    qué porcentaje
    tax rate
    margin`)],
  ['duration', either(`how (?:long|often|quickly|fast|soon)
    wie (?:lange|oft|schnell)
    combien de temps
    cuánto tiempo
    con qué frecuencia
    ما مدة
    كم مرة`)],
  ['date', either(`when
    (?:what|which) (?:date|day|year|month|time|hours)
    (?:opening|visiting|office) hours
    by when
    wann
    an welchem tag
    welchem datum
    quand
    quel(?:le)? (?:jour|date|année)
    cuándo
    qué (?:día|fecha|año)
    متى
    في أي (?:يوم|سنة)`)],
  ['money', either(`how much (?:is|are|does|do|did|will|was|were) .{0,80}(?:cost|costs|pay|spend|price|paid|donate|charge)
    how much (?:is|are) (?:a|an|the)
    (?:what|how) .{0,60}(?:price|cost|costs|fee|fees|rent|salary|fine|deposit|revenue|net sales|profit|budget|surplus)
    wie (?:teuer|viel kostet)
    was kostet
    wie hoch .{0,40}(?:miete|preis|gebühr|kaution|beitrag|gehalt)
    combien coûte
    quel .{0,30}(?:prix|tarif|montant)
    cuánto cuesta
    كم (?:سعر|ثمن|رسوم|كلفت)`)],
  ['number', either(`how (?:many|much|high|heavy|tall|large|big|wide|deep|old|far|strong)
    number of
    what (?:size|weight|height|temperature)
    wie (?:viele?|hoch|groß|schwer|weit|alt|breit|tief)
    anzahl
    combien
    cuánt[oa]s?
    كم`)],
  ['person', either(`who
    whom
    wer
    wem
    wie heißt
    qui
    quién(?:es)?`)],
];

const NUMBER = /\d/;
const NUMBER_WORD = either(`one
  two
  three
  four
  five
  six
  seven
  eight
  nine
  ten
  eleven
  twelve
  fifteen
  twenty
  thirty
  forty
  fifty
  sixty
  ninety
  hundred
  thousand
  half
  twice
  once
  zwei
  drei
  drit?ten
  vier
  fünf
  sechs
  sieben
  acht
  neun
  zehn
  zwölf
  deux
  trois
  quatre
  cinq
  six
  sept
  huit
  neuf
  dix
  dos
  tres
  cuatro
  cinco
  seis
  siete
  ocho
  nueve
  diez
  يومين
  أسبوعين
  ساعتين
  سنتان
  مرتين
  ضعف
  نصف
  ثلاثة?
  أربعة?
  خمسة?
  ستة?
  سبعة?
  ثمانية?
  تسعة?
  عشرة?
  عشرون
  ثلاثون
  ستين
  تسعون
  مئة`);
const MONEY = /[$€£¥₹]|(?:EUR|USD|GBP|CHF|SAR|AED)|\b(?:euros?|dollars?|cents?|pounds?|crowns|francs?|marks?)\b|ريال|درهم|دينار|فلس|جنيه/iu;
const CALENDAR = either(`jan(?:uary)?
  feb(?:ruary)?
  march
  april
  may
  june
  july
  august
  sept?(?:ember)?
  oct(?:ober)?
  nov(?:ember)?
  dec(?:ember)?
  januar
  februar
  märz
  mai
  juni
  juli
  oktober
  dezember
  janvier
  février
  mars
  avril
  juin
  juillet
  août
  septembre
  octobre
  novembre
  décembre
  enero
  febrero
  marzo
  abril
  mayo
  junio
  julio
  agosto
  septiembre
  octubre
  noviembre
  diciembre
  (?:mon|tues|wednes|thurs|fri|satur|sun)days?
  montags?
  dienstags?
  mittwochs?
  donnerstags?
  freitags?
  samstags?
  sonntags?
  lundi
  mardi
  mercredi
  jeudi
  vendredi
  samedi
  dimanche
  lunes
  martes
  miércoles
  jueves
  viernes
  sábado
  domingo
  daily
  today
  tomorrow
  noon
  midnight
  weekends?
  الأحد
  الاثنين
  الثلاثاء
  الأربعاء
  الخميس
  الجمعة
  السبت
  يوم
  الساعة`);
const MONTHS =
  'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|août|déc|ene|abr|ago|dic|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر';
const CLOCK = /\b(?:1[5-9]|20)\d\d\b|\d{1,2}[:.]\d\d|\d{1,2}\s?(?:h|am|pm|a\.m\.|p\.m\.|uhr|o'clock)(?!\p{L})|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/iu;
const TIME_UNIT = /(?:second|minute|hour|day|week|month|year|night|morning|evening|sekunde|minute|stunde|tag|woche|monat|jahr|seconde|heure|jour|semaine|mois|\ban(?:s|née)?\b|segundo|minuto|hora|día|semana|mes|año|daily|weekly|monthly|yearly|ثانية|دقيقة|ساعة|ساعت|يوم|أيام|أسبوع|شهر|أشهر|سنة|سنت|سنوات|عام)/iu;
const NAME = /(?<=[\p{L}\p{N},;:)|]\s|[(“"«:|]|^)(?:\p{Lu}[\p{L}'’-]+|\p{Lu}\.)\s+(?:(?:de|van|von|der|la|al|&|y|e)\s+)?\p{Lu}[\p{L}'’-]+/u;
const CONTACT = /@|\d[\d ()/-]{4,}\d|\bextension \d/;
const SHARE = /%|per ?cent|prozent|pour cent|por ciento|في المئة|بالمئة/iu;

/** What the question asks for, as far as its words say it. */
export function expectedKind(question: string): AnswerKind | null {
  const asked = question.slice(0, 1000);
  return ASKED.find(([, words]) => words.test(asked))?.[0] ?? null;
}

/** Numbers that count nothing. */
const DATED = new RegExp(`${CLOCK.source}|\\d{1,2}\\.?\\s(?=(?:${MONTHS}))|(?<=(?:${MONTHS})\\s)\\d{1,2}\\b`, 'giu');
const counts = (text: string) => hasNumber(text.replace(DATED, ' '));
const hasNumber = (text: string) => NUMBER.test(text) || NUMBER_WORD.test(text);

/** How well a text has what is expected, 0 to 1. @param text without the numbers that the question has itself */
export function showsKind(kind: AnswerKind, text: string): number {
  switch (kind) {
    case 'number':
      return counts(text) ? 1 : 0;
    case 'money':
      return counts(text) ? (MONEY.test(text) ? 1 : 0.6) : 0;
    case 'date':
      return CALENDAR.test(text) || CLOCK.test(text) ? 1 : hasNumber(text) ? 0.6 : 0;
    case 'duration':
      return TIME_UNIT.test(text) ? (hasNumber(text) || /\b(?:every|daily|weekly|jede|täglich|chaque|cada|كل)/iu.test(text) ? 1 : 0.5) : 0;
    case 'person':
      return NAME.test(text) ? 1 : 0.3;
    case 'contact':
      return CONTACT.test(text) ? 1 : 0;
    case 'share':
      return SHARE.test(text) ? 1 : counts(text) ? 0.5 : 0;
  }
}

const SAID: Record<AnswerKind, string> = {
  number: 'number total count many anzahl nombre número عدد',
  money: 'cost costs price fee pay paid charge rate amount kosten kostet preis gebühr coûte coût prix tarif cuesta precio cuota سعر ثمن رسوم كلفة تكلفة',
  date: 'date day time hour hours datum tag uhrzeit date jour heure fecha día hora تاريخ يوم موعد',
  duration: 'long last lasts take takes period duration often dauer dauert durée dure dura duración مدة',
  person: 'name person heißt nom nombre اسم',
  contact: 'phone telephone number email mail address contact reach call telefonnummer rufnummer téléphone teléfono رقم هاتف',
  share: 'percentage share percent rate prozent anteil pourcentage porcentaje نسبة',
};
const saidBy = new Map(Object.entries(SAID).map(([kind, words]) => [kind, new Set(analyse(words))]));

/** Whether a term (as `analyse` gives it) says only what kind of answer is wanted: one that shows it need not say it. */
export function saysKind(kind: AnswerKind, term: string): boolean {
  return saidBy.get(kind)!.has(term);
}
