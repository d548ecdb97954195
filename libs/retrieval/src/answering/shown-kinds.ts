import type { AnswerKind } from './answer-kinds.js';
import { either } from './either.js';

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
const MONEY =
  /[$€£¥₹]|(?:EUR|USD|GBP|CHF|SAR|AED)|\b(?:euros?|dollars?|cents?|pounds?|crowns|francs?|marks?)\b|ريال|درهم|دينار|فلس|جنيه/iu;
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
const CLOCK =
  /\b(?:1[5-9]|20)\d\d\b|\d{1,2}[:.]\d\d|\d{1,2}\s?(?:h|am|pm|a\.m\.|p\.m\.|uhr|o'clock)(?!\p{L})|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/iu;
const TIME_UNIT =
  /(?:second|minute|hour|day|week|month|year|night|morning|evening|sekunde|minute|stunde|tag|woche|monat|jahr|seconde|heure|jour|semaine|mois|\ban(?:s|née)?\b|segundo|minuto|hora|día|semana|mes|año|daily|weekly|monthly|yearly|ثانية|دقيقة|ساعة|ساعت|يوم|أيام|أسبوع|شهر|أشهر|سنة|سنت|سنوات|عام)/iu;
const NAME =
  /(?<=[\p{L}\p{N},;:)|]\s|[(“"«:|]|^)(?:\p{Lu}[\p{L}'’-]+|\p{Lu}\.)\s+(?:(?:de|van|von|der|la|al|&|y|e)\s+)?\p{Lu}[\p{L}'’-]+/u;
const TITLED = /(?<!\p{L})(?:Dr|Mrs?|Ms|Prof|Cllr|Frau|Herrn?|Mme|Mlle|Sra?|Don|Doña|doña|don)\.?\s\p{Lu}\p{L}/u;
const TITLED_NAMES = new RegExp(`${TITLED.source}(?:\\s\\p{Lu}[\\p{L}'’-]+)?`, 'gu');
const CONTACT = /@|\d[\d ()/-]{4,}\d|\bextension \d/;
const SHARE = /%|per ?cent|prozent|pour cent|por ciento|في المئة|بالمئة/iu;

/** Numbers that count nothing; `3.60` is a price, though some write the hour that way. */
const DATED = new RegExp(
  `${CLOCK.source.replace('[:.]', ':')}|\\d{1,2}\\.?\\s(?=(?:${MONTHS}))|(?<=(?:${MONTHS})\\s)\\d{1,2}\\b`,
  'giu',
);
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
      return TIME_UNIT.test(text)
        ? hasNumber(text) || /\b(?:every|daily|weekly|jede|täglich|chaque|cada|كل)/iu.test(text)
          ? 1
          : 0.5
        : 0;
    case 'person':
      return NAME.test(text) || TITLED.test(text) ? 1 : 0.3;
    case 'firm':
      return NAME.test(text.replace(TITLED_NAMES, ' ')) ? 1 : 0.3;
    case 'contact':
      return CONTACT.test(text) ? 1 : 0;
    case 'share':
      return SHARE.test(text) ? 1 : counts(text) ? 0.5 : 0;
  }
}
