import { amountAt } from './amounts.js';
import { calendarOf } from './calendar.js';
import type { LanguageCode } from './lexicon/languages.js';
import { yearPeriod, type Period } from './times.js';
import { normalise, type Word } from './words.js';

type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/**
 * Told from today. `step`: a whole day, week (ISO 8601, from Monday on), month, quarter or year of the calendar, so many
 * after the one of today. `count`: so many that end today, or begin today.
 */
export type Relative = { unit: Unit; step: number } | { unit: Exclude<Unit, 'quarter'>; count: number; ahead: boolean };

interface RelativeWords {
  /** `last|this|next` of each unit, `;` between the three and `|` between names of one. */
  steps: Record<Unit, string>;
  /** "The last 30 days", "30 derniers jours": the words that say so, before or behind the number. */
  back: string;
  ahead: string;
  /** "The past week" are seven days. */
  single?: string;
  /** "Over the last 30 days", "these last 30 days": what compares elsewhere, or is said of what was asked before. */
  over?: string;
  units: Record<Exclude<Unit, 'quarter'>, string>;
}

const WORDS: Record<LanguageCode, RelativeWords> = {
  en: {
    steps: {
      day: 'yesterday;today;tomorrow',
      week: 'last week|the previous week|previous week;this week|the current week|current week;next week|the coming week|coming week',
      month:
        'last month|the previous month|previous month;this month|the current month|current month;next month|the coming month|coming month',
      quarter:
        'last quarter|the previous quarter|previous quarter;this quarter|the current quarter|current quarter;next quarter|the coming quarter|coming quarter',
      year: 'last year|the previous year|previous year;this year|the current year|current year;next year|the coming year|coming year',
    },
    // "The previous 30 days" are those before the ones that were spoken of.
    back: 'last|past',
    ahead: 'next|coming|upcoming',
    single: 'past',
    over: 'over|over the|over these|these',
    units: { day: 'day|days', week: 'week|weeks', month: 'month|months', year: 'year|years' },
  },
  de: {
    steps: {
      // «Morgen» and «mañana» are mornings as well.
      day: 'gestern;heute;',
      week: 'letzte woche|letzten woche|letzter woche|vorige woche|voriger woche|vergangene woche|vergangenen woche|vorwoche;diese woche|dieser woche|aktuellen woche;nächste woche|nächsten woche|nächster woche|kommende woche|kommenden woche|kommender woche',
      month:
        'letzten monat|letzter monat|letzten monats|vorigen monat|vergangenen monat|vormonat;diesen monat|diesem monat|dieser monat|dieses monats|aktuellen monat;nächsten monat|nächster monat|nächsten monats|kommenden monat',
      quarter:
        'letztes quartal|letzten quartal|letzten quartals|voriges quartal|vergangenen quartal|vorquartal;dieses quartal|diesem quartal|dieses quartals|aktuellen quartal;nächstes quartal|nächsten quartal|kommenden quartal',
      year: 'letztes jahr|letzten jahr|letzten jahres|voriges jahr|vergangenes jahr|vergangenen jahr|vorjahr;dieses jahr|diesem jahr|dieses jahres|aktuellen jahr;nächstes jahr|nächsten jahr|nächsten jahres|kommenden jahr|kommendes jahr',
    },
    back: 'letzten|letzter|vergangenen|vergangener',
    ahead: 'nächsten|nächster|kommenden|kommender',
    over: 'über die|über diese|diese|diesen',
    units: { day: 'tage|tagen', week: 'wochen', month: 'monate|monaten', year: 'jahre|jahren' },
  },
  fr: {
    steps: {
      day: "hier;aujourd'hui;demain",
      week: 'la semaine dernière|semaine dernière|la semaine passée;cette semaine;la semaine prochaine|semaine prochaine',
      month: 'le mois dernier|mois dernier|le mois passé;ce mois|ce mois ci;le mois prochain|mois prochain',
      quarter: 'le trimestre dernier|trimestre dernier;ce trimestre;le trimestre prochain|trimestre prochain',
      year: "l'année dernière|l' année dernière|année dernière|de l'année dernière|de l' année dernière|l'an dernier|l' an dernier;cette année;l'année prochaine|l' année prochaine|année prochaine|l'an prochain|l' an prochain",
    },
    back: 'derniers|dernières',
    ahead: 'prochains|prochaines',
    over: 'ces',
    units: { day: 'jours', week: 'semaines', month: 'mois', year: 'ans|années' },
  },
  es: {
    steps: {
      day: 'ayer;hoy;',
      week: 'la semana pasada|semana pasada;esta semana;la próxima semana|próxima semana|la semana que viene',
      month: 'el mes pasado|mes pasado;este mes;el próximo mes|próximo mes|el mes que viene',
      quarter: 'el trimestre pasado|trimestre pasado;este trimestre;el próximo trimestre|próximo trimestre',
      year: 'el año pasado|año pasado|en el año pasado|del año pasado;este año;el próximo año|próximo año|el año que viene',
    },
    back: 'últimos|últimas',
    ahead: 'próximos|próximas',
    over: 'estos|estas',
    units: { day: 'días', week: 'semanas', month: 'meses', year: 'años' },
  },
  it: {
    steps: {
      day: 'ieri;oggi;domani',
      week: 'la settimana scorsa|settimana scorsa|la scorsa settimana|scorsa settimana;questa settimana;la prossima settimana|prossima settimana|settimana prossima',
      month:
        'il mese scorso|mese scorso|lo scorso mese|scorso mese;questo mese;il prossimo mese|prossimo mese|mese prossimo',
      quarter:
        'il trimestre scorso|trimestre scorso|lo scorso trimestre|scorso trimestre;questo trimestre;il prossimo trimestre|prossimo trimestre',
      year: "l'anno scorso|l' anno scorso|anno scorso|nell'anno scorso|nell' anno scorso|dell'anno scorso|dell' anno scorso|lo scorso anno|scorso anno;quest'anno|quest' anno|questo anno;l'anno prossimo|l' anno prossimo|anno prossimo|il prossimo anno|prossimo anno",
    },
    back: 'ultimi|ultime|scorsi|scorse',
    ahead: 'prossimi|prossime',
    over: 'questi|queste',
    units: { day: 'giorni', week: 'settimane', month: 'mesi', year: 'anni' },
  },
  pt: {
    steps: {
      day: 'ontem;hoje;amanhã',
      week: 'a semana passada|semana passada;esta semana|nesta semana|desta semana;a próxima semana|próxima semana|a semana que vem',
      month: 'o mês passado|mês passado;este mês|neste mês|deste mês;o próximo mês|próximo mês|o mês que vem',
      quarter:
        'o trimestre passado|trimestre passado;este trimestre|neste trimestre|deste trimestre;o próximo trimestre|próximo trimestre',
      year: 'o ano passado|ano passado|no ano passado|do ano passado;este ano|neste ano|deste ano;o próximo ano|próximo ano|o ano que vem',
    },
    back: 'últimos|últimas',
    ahead: 'próximos|próximas',
    over: 'estes|estas|destes|destas|nestes|nestas',
    units: { day: 'dias', week: 'semanas', month: 'meses', year: 'anos' },
  },
  nl: {
    steps: {
      day: 'gisteren;vandaag;',
      week: 'vorige week;deze week;volgende week|komende week',
      month: 'vorige maand;deze maand;volgende maand|komende maand',
      quarter: 'vorig kwartaal;dit kwartaal;volgend kwartaal|komend kwartaal',
      year: 'vorig jaar;dit jaar;volgend jaar|komend jaar',
    },
    back: 'laatste|afgelopen|voorbije',
    ahead: 'komende|volgende',
    single: 'afgelopen',
    over: 'over de|over deze|deze',
    units: { day: 'dag|dagen', week: 'week|weken', month: 'maand|maanden', year: 'jaar|jaren' },
  },
  ar: {
    steps: {
      day: 'امس|أمس;هذا اليوم;غدا',
      week: 'الأسبوع الماضي|الأسبوع السابق;هذا الأسبوع|الأسبوع الحالي;الأسبوع القادم|الأسبوع المقبل',
      month: 'الشهر الماضي|الشهر السابق;هذا الشهر|الشهر الحالي;الشهر القادم|الشهر المقبل',
      quarter: 'الربع الماضي;هذا الربع;الربع القادم|الربع المقبل',
      year: 'السنة الماضية|العام الماضي|السنة السابقة|العام السابق;هذه السنة|هذا العام|السنة الحالية|العام الحالي;السنة القادمة|العام القادم|السنة المقبلة|العام المقبل',
    },
    back: 'آخر',
    ahead: '',
    units: {
      day: 'يوم|يوما|أيام',
      week: 'أسبوع|أسبوعا|أسابيع',
      month: 'شهر|شهرا|أشهر|شهور',
      year: 'سنة|سنوات|عام|أعوام',
    },
  },
};

interface Phrases {
  steps: ReadonlyMap<string, Relative>;
  back: ReadonlySet<string>;
  ahead: ReadonlySet<string>;
  single: ReadonlySet<string>;
  over: ReadonlySet<string>;
  units: ReadonlyMap<string, Exclude<Unit, 'quarter'>>;
}

const setOf = (texts: string) => new Set(texts.split('|').filter(Boolean).map(normalise));
const BY_LANGUAGE = new Map<string, Phrases>(
  Object.entries(WORDS).map(([code, { steps, back, ahead, single = '', over = '', units }]) => [
    code,
    {
      steps: new Map(
        Object.entries(steps).flatMap(([unit, all]) =>
          all
            .split(';')
            .flatMap((texts, at) =>
              [...setOf(texts)].map((text) => [text, { unit: unit as Unit, step: at - 1 }] as const),
            ),
        ),
      ),
      back: setOf(back),
      ahead: setOf(ahead),
      single: setOf(single),
      over: setOf(over),
      units: new Map(
        Object.entries(units).flatMap(([unit, texts]) =>
          [...setOf(texts)].map((text) => [text, unit as Exclude<Unit, 'quarter'>] as const),
        ),
      ),
    },
  ]),
);
const LONGEST = 4;
const NO_UNITS: ReadonlySet<string> = new Set();
/** In units: more is no time that anybody means. */
const MOST = 1000;

/** What stands there that is told from today: "last month", "next 30 days". Arabic is read with English. */
export function relativeAt(words: readonly Word[], at: number): { relative: Relative; length: number } | null {
  const code = words[at]?.language ?? 'en';
  for (const phrases of [BY_LANGUAGE.get(code), ...(code === 'en' ? [BY_LANGUAGE.get('ar')] : [])]) {
    const found = phrases && (stepAt(words, at, phrases) ?? countAt(words, at, phrases));
    if (found) return found;
  }
  return null;
}

const plainOf = (word: Word | undefined) => (word?.quoted === false ? word.plain : '');
const textAt = (words: readonly Word[], at: number, length: number) =>
  words
    .slice(at, at + length)
    .map(plainOf)
    .join(' ');

function stepAt(words: readonly Word[], at: number, { steps }: Phrases): { relative: Relative; length: number } | null {
  for (let length = Math.min(LONGEST, words.length - at); length > 0; length--) {
    const relative = steps.get(textAt(words, at, length));
    if (relative !== undefined) return { relative, length };
  }
  return null;
}

/** "Last 30 days", «30 derniers jours», "past week", "over the last 3 months". */
function countAt(words: readonly Word[], at: number, phrases: Phrases): { relative: Relative; length: number } | null {
  const { back, ahead, single, over, units } = phrases;
  const sideOf = (word: Word | undefined) =>
    back.has(plainOf(word)) ? 'back' : ahead.has(plainOf(word)) ? 'ahead' : null;
  const first = at + ([2, 1].find((length) => over.has(textAt(words, at, length))) ?? 0);
  const led = sideOf(words[first]);
  const numbered = first + (led === null ? 0 : 1);
  const number = words[numbered] ? amountAt(words, numbered, NO_UNITS) : null;
  const behind = numbered + (number?.length ?? 0);
  const side = led ?? (number && sideOf(words[behind]));
  const last = led === null ? behind + 1 : behind;
  const unit = units.get(plainOf(words[last]));
  if (!side || unit === undefined) return null;
  const isSingle = number === null && single.has(plainOf(words[first]));
  const count = isSingle ? 1 : number?.amount.unit === null ? number.amount.number : 0;
  if (!Number.isInteger(count) || count < 1 || count > MOST) return null;
  return { relative: { unit, count, ahead: side === 'ahead' }, length: last + 1 - at };
}

const DAY_MS = 86_400_000;
const iso = (date: Date) => date.toISOString().slice(0, 10);
const daysFrom = (day: string, days: number) => iso(new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS));

/** The same day so many months away; the last one of a month that is shorter. */
function monthsFrom(day: string, months: number): string {
  const [year = 0, month = 0, of = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return iso(new Date(Date.UTC(year, month - 1 + months, Math.min(of, last))));
}

/** @param before the day after the last one */
function days(from: string, before: string): Period {
  const last = daysFrom(before, -1);
  return { from, before, label: from === last ? from : `${from} – ${last}` };
}

/** The days that are meant. @param today ISO date */
export function periodOf(relative: Relative, today: string, word: Word): Period {
  return 'step' in relative ? calendarPeriod(relative, today, word) : periodFrom(relative, today);
}

function periodFrom({ unit, count, ahead }: Extract<Relative, { count: number }>, today: string): Period {
  const away = (day: string, by: number) =>
    unit === 'day' || unit === 'week'
      ? daysFrom(day, by * (unit === 'week' ? 7 : 1))
      : monthsFrom(day, by * (unit === 'year' ? 12 : 1));
  if (ahead) return days(today, away(today, count));
  return days(daysFrom(away(today, -count), 1), daysFrom(today, 1));
}

function calendarPeriod({ unit, step }: Extract<Relative, { step: number }>, today: string, word: Word): Period {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const months = (first: number, count: number) => {
    const at = new Date(Date.UTC(year, first, 1));
    return { from: iso(at), before: iso(new Date(Date.UTC(year, first + count, 1))), at };
  };
  switch (unit) {
    case 'day':
      return days(daysFrom(today, step), daysFrom(today, step + 1));
    case 'week': {
      const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
      const from = daysFrom(today, 7 * step - sinceMonday);
      return days(from, daysFrom(from, 7));
    }
    case 'month': {
      const { from, before, at } = months(month - 1 + step, 1);
      return { from, before, label: `${calendarOf(word).names[at.getUTCMonth()]} ${at.getUTCFullYear()}` };
    }
    case 'quarter': {
      const { from, before, at } = months((Math.ceil(month / 3) - 1 + step) * 3, 3);
      return { from, before, label: `Q${at.getUTCMonth() / 3 + 1} ${at.getUTCFullYear()}` };
    }
    case 'year':
      return yearPeriod(year + step);
  }
}
