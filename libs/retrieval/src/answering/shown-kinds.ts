import type { AnswerKind } from './answer-kinds.js';
import { either, withoutAccents } from './either.js';
import { showsMeasure } from './measures.js';

const NUMBER = /\d/;
const NUMBER_WORD =
  either(`one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve; fifteen; twenty; thirty; forty; fifty; sixty; ninety;
      hundred; thousand; half; twice; once; zwei; drei; drit?ten; vier; fünf; sechs; sieben; acht; neun; zehn; zwölf; deux; trois;
      quatre; cinq; six; sept; huit; neuf; dix; dos; tres; cuatro; cinco; seis; siete; ocho; nueve; diez; due; tre; quattro; cinque;
      sei; sette; otto; dieci; dodici; venti; trenta; dois; duas; três; quatro; seis; sete; oito; dez; doze; vinte; trinta; twee; drie;
      vijf; zes; zeven; acht; negen; tien; twaalf; twintig; dertig; elf; elfte; onze; quinze; vingt; trente; once; doce; catorce;
      quince; veinte; treinta; zwanzig; dreißig; fünfzehn; vierzehn; يومين; ساعتان; أسبوعين; ساعتين; سنتان; مرتين; ضعف; نصف; ثلاثة?;
      أربعة?; خمسة?; ستة?; سبعة?; ثمانية?; تسعة?; عشرة?; عشرون; ثلاثون; ستين; تسعون; مئة`);
const MONEY =
  /[$€£¥₹]|(?:EUR|USD|GBP|CHF|SAR|AED)|\b(?:euros?|dollars?|cents?|pounds?|crowns|francs?|marks?)\b|ريال|درهم|دينار|فلس|جنيه/iu;
const CALENDAR =
  either(`jan(?:uary)?; feb(?:ruary)?; march; april; may; june; july; august; sept?(?:ember)?; oct(?:ober)?; nov(?:ember)?; dec(?:ember)?;
      januar; februar; märz; mai; juni; juli; oktober; dezember; janvier; février; mars; avril; juin; juillet; août; septembre;
      octobre; novembre; décembre; enero; febrero; marzo; abril; mayo; junio; julio; agosto; septiembre; octubre; noviembre; diciembre;
      (?:mon|tues|wednes|thurs|fri|satur|sun)days?; montags?; dienstags?; mittwochs?; donnerstags?; freitags?; samstags?; sonntags?;
      lundi; mardi; mercredi; jeudi; vendredi; samedi; dimanche; lunes; martes; miércoles; jueves; viernes; sábado; domingo; gennaio;
      febbraio; aprile; maggio; giugno; luglio; settembre; ottobre; dicembre; janeiro; fevereiro; março; abril; maio; junho; julho;
      setembro; outubro; novembro; dezembro; maart; juni; augustus; (?:lune|marte|mercole|giove|vener)dì; sabato; domenica;
      (?:segunda|terça|quarta|quinta|sexta)(?:-feira)?; domingo; maandag; dinsdag; woensdag; donderdag; vrijdag; zaterdag; zondag;
      daily; today; tomorrow; noon; midnight; weekends?; الأحد; الاثنين; الثلاثاء; الأربعاء; الخميس; الجمعة; السبت; يوم; الساعة`);
const MONTHS = withoutAccents(
  'gen|mag|giu|lug|ott|dic|mrt|mei|fev|set|out|dez|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|août|déc|ene|abr|ago|dic|يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر',
);
/** A year is no part of a code (`RE-2025-00871`), and a time none of a larger number (`1.500`). */
const CLOCK =
  /(?<![\p{L}\p{N}]|\p{L}(?<!\b(?:mid|early|late|mitte|anfang|ende|fin|debut))[-/])(?:1[5-9]|20)\d\d(?![\p{L}\p{N}]|[-/]\d{3})|(?<![\d.,])\d{1,2}[:.]\d\d(?!\d|[.,]\d)|\d{1,2}\s?(?:h|am|pm|a\.m\.|p\.m\.|uhr|o'clock)(?!\p{L})|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/iu;
const TIME_UNIT =
  /(?:second|minute|hour|day|week|month|year|night|morning|evening|sekunde|minute|stunde|tag|woche|monat|jahr|seconde|heure|jour|semaine|mois|\ban(?:s|née)?\b|segundo|minuto|hora|día|semana|mes|año|daily|weekly|monthly|yearly|ثانية|دقيقة|ساعة|ساعت|يوم|أيام|أسبوع|شهر|أشهر|سنة|سنت|سنوات|عام)/iu;
const NAME =
  /(?<=[\p{L}\p{N},;:)|]\s|[(“"«:|]|^)(?:\p{Lu}[\p{L}'’-]+|\p{Lu}\.)\s+(?:(?:de|van|von|der|la|al|&|y|e)\s+)?\p{Lu}[\p{L}'’-]+/u;
const TITLED =
  /(?<!\p{L})(?:Dr|Mrs?|Ms|Prof|Cllr|Frau|Herrn?|Mme|Mlle|Sra?|Don|Dona|dona|don|[Ss]ignora?|Dott|[Ss]enhora?|mevrouw|dhr|mw)\.?\s\p{Lu}\p{L}/u;
const TITLED_NAMES = new RegExp(`${TITLED.source}(?:\\s\\p{Lu}[\\p{L}'’-]+)?`, 'gu');
const PHONE = /\d[\d ()/-]{4,}\d|\bextension \d/;
const SITE = /www\.|https?:|\p{L}\.(?:com|org|net|example|info|[a-z]{2})(?![\p{L}@])/iu;
const YEAR_ONLY = /(?<!\d)(?:19|20)\d\d(?!\d)/;
const AGED = either(
  `aged?; old; older; years?; jahren?; alter; jährig\\p{L}*; ans; años; anni; anos; jaar; سنوات; عاما; من عمره`,
);
const COLOUR =
  either(`colou?red; black; white; red; blue; green; yellow; brown; gr[ea]y; orange; purple; pink; silver; navy; turquoise; violet;
      gold(?:en)?; cream; transparent; beige; schwarz\\p{L}*; weiss\\p{L}*; weiß\\p{L}*; rote?[nmrs]?; blaue?[nmrs]?; grüne?[nmrs]?;
      gelbe?[nmrs]?; braune?[nmrs]?; graue?[nmrs]?; noire?s?; blanc(?:he)?s?; rouges?; bleue?s?; verte?s?; jaunes?; grise?s?;
      negr[oa]s?; blanc[oa]s?; roj[oa]s?; azul(?:es)?; verdes?; amarill[oa]s?; ner[oaie]; bianc[oaie]; ross[oaie]; blu; giall[oaie];
      pret[oa]s?; branc[oa]s?; vermelh[oa]s?; amarel[oa]s?; zwarte?; witte?; rode?; blauwe?; groene?; gele?; grijze?; oranje; أسود;
      أبيض; أحمر; أزرق; أخضر; أصفر`);
const REPEATED =
  either(`every; each; per (?:day|week|month|year|hour); (?:a|times an?) (?:day|week|month|year); (?:dai|week|month|quarter|year|hour)ly;
      annual(?:ly)?; once; twice; times; jede[nmrs]?; alle; täglich\\p{L}*; wöchentlich\\p{L}*; monatlich\\p{L}*; jährlich\\p{L}*;
      (?:ein|zwei|drei|vier)mal; \\d+ ?mal; mal (?:im|am|pro|in der); im (?:jahr|monat); (?:pro|je) (?:tag|woche|monat|jahr); montags?;
      dienstags?; mittwochs?; donnerstags?; freitags?; samstags?; sonntags?; chaque; tous les; toutes les; fois;
      par (?:jour|semaine|mois|an); cada; tod[oa]s l[oa]s; diari\\p{L}*; semanal\\p{L}*; mensual\\p{L}*; anual\\p{L}*; ve[zc]e?s?;
      ogni; tutt[ie] (?:i|le); volt[ae]; al (?:giorno|mese); all'anno; settimanal\\p{L}*; mensil\\p{L}*; annual\\p{L}*; tod[oa]s [oa]s;
      mensal\\p{L}*; elke; iedere?; om de; keer; per (?:dag|week|maand|jaar); (?:dag|week|maand|jaar)elijks; wekelijks; كل; مرة; مرات;
      مرتين; مرتان; يوميا; أسبوعيا; شهريا; سنويا`);
const MORE_TIMES =
  either(`giorn[oi]; settiman[ae]; mes[ei]; ann[oi]; or[ae]; minut[oi]; dias?; semanas?; mes(?:es)?; anos?; horas?; dag(?:en)?;
      we(?:ek|ken); maand(?:en)?; ja(?:ar|ren); uur; uren; minuten; \\p{L}*(?:werk|arbeits)(?:dagen|tagen?); ساعتان; يومان; سنتان`);
const showsTime = (text: string) => TIME_UNIT.test(text) || MORE_TIMES.test(text);
const SHARE = /%|per ?cent|prozent|pour cent|por ciento|في المئة|بالمئة/iu;

/** Numbers that count nothing; `3.60` is a price, though some write the hour that way. */
const DATED = new RegExp(
  `${CLOCK.source.replace('[:.]', ':')}|\\d{1,2}\\.?\\s(?=(?:${MONTHS}))|(?<=(?:${MONTHS})\\s)\\d{1,2}\\b`,
  'giu',
);
const counts = (text: string) => hasNumber(text.replace(DATED, ' '));
/** Whether a word is a number, in figures or letters. */
export const isNumber = (word: string) => hasNumber(word);
const hasNumber = (text: string) => NUMBER.test(text) || NUMBER_WORD.test(text);

/** How well a text has what is expected, 0 to 1. @param asWritten without the numbers that the question has itself */
export function showsKind(kind: AnswerKind, asWritten: string): number {
  const text = withoutAccents(asWritten);
  switch (kind) {
    case 'number':
      return counts(text) ? 1 : 0;
    case 'money':
      return counts(text) ? (MONEY.test(text) ? 1 : 0.5) : 0;
    case 'date':
      return CALENDAR.test(text) || CLOCK.test(text) ? 1 : hasNumber(text) ? 0.6 : 0;
    case 'duration':
      return showsTime(text) ? (hasNumber(text) || REPEATED.test(text) ? 1 : 0.5) : 0;
    case 'frequency':
      return REPEATED.test(text) ? 1 : showsTime(text) ? 0.4 : 0;
    case 'person':
      return NAME.test(text) || TITLED.test(text) ? 1 : /\p{Script=Arabic}/u.test(text) ? 0.6 : 0.3;
    case 'firm':
      return NAME.test(text.replace(TITLED_NAMES, ' ')) ? 1 : 0.3;
    case 'phone':
      return PHONE.test(text) ? 1 : 0;
    case 'mail':
      return /\S@\S/.test(text) ? 1 : 0;
    case 'site':
      return SITE.test(text) ? 1 : 0;
    case 'contact':
      return PHONE.test(text) || /\S@\S/.test(text) ? 1 : 0;
    case 'colour':
      return COLOUR.test(text) ? 1 : 0;
    case 'age':
      return counts(text) ? (showsTime(text) || AGED.test(text) ? 1 : 0.4) : YEAR_ONLY.test(text) ? 0.3 : 0;
    case 'share':
      return SHARE.test(text) ? 1 : counts(text) ? 0.5 : 0;
    default:
      return showsMeasure(kind, text) && hasNumber(text) ? 1 : 0;
  }
}
