import type { AskedColumn, AskedTable, Elapsed } from '../asked-table.js';
import type { LanguageCode } from './lexicon/languages.js';
import { isMeasured } from './conditions.js';
import { isEnd, isExit, isPlanned } from './done-dates.js';
import { isTime, labelOf } from './reading.js';
import { nameWords } from './words.js';

/** Columns that say themselves how long something took. */
const SAID =
  /^(?:time|times|duration|elapsed|days|hours|minutes|mins|hrs|weeks|nights|length|runtime|zeit|dauer|tage|stunden|temps|duree|delai|jours|heures|tiempo|plazo|duracion|dias|horas|tempo|durata|giorni|ore|duracao|duur|tijd|dagen|uren|مده|ايام)$|(?:zeit|dauer|tijd|duur)$/;
const AGED = /^(?:age|ages|alter|edad|eta|idade|leeftijd|عمر|العمر)$/;
const SERVED = /^(?:tenure|seniority|years|jahre|annees|anciennete|anos|antiguedad|anni|anzianita|jaren|سنوات)$/;
const BIRTH =
  /^(?:birth|birthday|birthdate|dateofbirth|born|dob|geburt|geburtsdatum|geburtstag|geboren|naissance|nacimiento|nascita|nascimento|geboorte|geboortedatum|ميلاد|الميلاد)$/;
const HIRE =
  /^(?:hire|hired|hiring|hiredate|joined|joining|employed|employment|onboarded|eintritt|eintrittsdatum|einstellung|einstellungsdatum|embauche|contratacion|assunzione|admissao|contratacao|indienst|تعيين|التعيين|توظيف)$/;
/** Ends of what has a beginning, whatever it is. */
const LAST =
  /^(?:end|ended|finish|finished|out|checkout|departure|discharge|discharged|arrival|arrived|until|to|approved|approval|responded|response|answered|sold|expired|ende|austritt|entlassung|abreise|ankunft|sortie|depart|fin|salida|fine|uscita|partenza|saida|fim|einde|vertrek)$/;
/** Until when something was to be done. */
const DUE = /^(?:due|deadline|required|promised|expected|estimated|scheduled|planned|target|eta|committed)$/;
/** Columns that say themselves whether something was late. */
const LATE = /^(?:late|lateness|delay|delays|delayed|overdue|ontime|punctual)$/;
const DEATH = /^(?:death|died|deceased|tod|gestorben|deces|muerte|morte|overlijden|وفاه)$/;

/** Of a row: more are no course of events that anybody asks about so. */
const MOST_TIMES = 12;

const partsOf = (column: AskedColumn) => [...new Set([...nameWords(labelOf(column)), ...nameWords(column.name)])];
const isNamed = (column: AskedColumn, names: RegExp) => partsOf(column).some((part) => names.test(part));

/** What it is called how old somebody is, where one word may be made with it. */
export const AGES = ['alter', 'leeftijd'];

/** Whether it is the day on which somebody was born. */
export function isBirth(column: AskedColumn): boolean {
  return isTime(column) && isNamed(column, BIRTH);
}

const UNITS: Readonly<Record<Elapsed['unit'], string>> = {
  minute: 'minutes',
  hour: 'hours',
  day: 'days',
  night: 'nights',
  week: 'weeks',
  year: 'years',
  age: 'age',
};
/** What people read: minutes, hours, days, nights, weeks, years, age, today. */
const SHOWN: Partial<Record<LanguageCode, string>> = {
  en: 'minutes hours days nights weeks years Age today',
  de: 'Minuten Stunden Tage Nächte Wochen Jahre Alter heute',
  fr: "minutes heures jours nuits semaines années Âge aujourd'hui",
  es: 'minutos horas días noches semanas años Edad hoy',
  it: 'minuti ore giorni notti settimane anni Età oggi',
  pt: 'minutos horas dias noites semanas anos Idade hoje',
  nl: 'minuten uren dagen nachten weken jaren Leeftijd vandaag',
};
const SHOWN_ORDER = [...Object.keys(UNITS), 'today'];

function shownIn(language: LanguageCode, word: Elapsed['unit'] | 'today'): string {
  return (SHOWN[language] ?? SHOWN.en!).split(' ')[SHOWN_ORDER.indexOf(word)]!;
}

const WHOLE: ReadonlySet<Elapsed['unit']> = new Set(['age', 'day', 'night']);

/** What can be reckoned of each row of a table from its times, where no column says it. */
export class ElapsedColumns {
  private readonly made = new Map<string, AskedColumn>();
  private readonly dates: AskedColumn[];
  /** From each beginning to each end, in the order of the columns. */
  readonly spans: readonly (readonly [from: AskedColumn, to: AskedColumn])[];
  /** How far behind its time each end was; none where that is not known. */
  readonly delays: readonly AskedColumn[];
  /** The same, as of today where there is no end yet. */
  readonly delaysSoFar: readonly AskedColumn[];
  /** In whole years, up to today; null where nobody was born. */
  readonly age: AskedColumn | null;
  /** In years, up to the day on which somebody left, or today. */
  readonly tenure: AskedColumn | null;

  /** @param today ISO date; null where it is not known. @param language of what they are called */
  constructor(
    table: AskedTable,
    private readonly today: string | null,
    private readonly language: LanguageCode = 'en',
  ) {
    this.dates = table.columns.filter(isTime);
    const says = (names: RegExp) => table.columns.some((column) => isMeasured(column) && isNamed(column, names));
    const own = this.dates.filter((date) => !isPlanned(date) && !isNamed(date, BIRTH));
    const ends = own.filter((date) => isEnd(date) || isNamed(date, LAST));
    this.spans =
      says(SAID) || own.length > MOST_TIMES
        ? []
        : ends.flatMap((to) =>
            own.flatMap((from) => {
              const isBefore = own.indexOf(from) < own.indexOf(to);
              return isBefore && !isNamed(from, HIRE) ? [[from, to] as const] : [];
            }),
          );
    const [due, ...others] = this.dates.filter((date) => isNamed(date, DUE));
    const isLateKnown = !due || others.length > 0 || table.columns.some((column) => isNamed(column, LATE));
    this.delays = isLateKnown ? [] : ends.map((end) => this.column(due, end, 'day'));
    this.delaysSoFar = isLateKnown || today === null ? [] : ends.map((end) => this.column(due, end, 'day', true));
    const births = this.dates.filter(isBirth);
    const hires = this.dates.filter((date) => isNamed(date, HIRE));
    const exits = this.dates.filter((date) => isExit(date));
    const [born, hired] = [births, hires].map((dates) => (today !== null && dates.length === 1 ? dates[0]! : null));
    const ages = born && !says(AGED) && !this.dates.some((date) => isNamed(date, DEATH));
    this.age = ages ? this.column(born, null, 'age') : null;
    const serves = hired && !says(SERVED) && exits.length < 2;
    this.tenure = serves ? this.column(hired, exits[0] ?? null, 'year', true) : null;
  }

  /** Words for what they can be counted in. */
  get units(): readonly string[] {
    const spans = this.spans.length > 0 ? ['minute', 'hour', 'day', 'week', 'night'] : [];
    const years = this.age || this.tenure ? ['year'] : [];
    return [...spans, ...years].flatMap((unit) => [unit, `${unit}s`]);
  }

  /** How long it was from one to the other: in days, or in hours where both tell the time of the day. */
  between(from: AskedColumn, to: AskedColumn, unit: Elapsed['unit'] | null = null): AskedColumn {
    const timed = from.type === 'datetime' && to.type === 'datetime';
    return this.column(from, to, unit ?? (timed ? 'hour' : 'day'));
  }

  /**
   * The same one each time: columns are told apart by what they are, not by their names.
   * @param open whether what has no end goes on until today
   */
  private column(from: AskedColumn, to: AskedColumn | null, unit: Elapsed['unit'], open = to === null): AskedColumn {
    const ends = [...(to ? [to] : []), ...(open ? ['today'] : [])];
    const names = ends.map((end) => (typeof end === 'string' ? end : end.name));
    const labels = ends.map((end) => (typeof end === 'string' ? shownIn(this.language, 'today') : labelOf(end)));
    const name = unit === 'age' ? 'age' : [UNITS[unit], from.name, ...names].join('_');
    const known = this.made.get(name);
    if (known) return known;
    const shown = shownIn(this.language, unit);
    const made: AskedColumn = {
      name,
      originalName: unit === 'age' ? shown : `${labelOf(from)} → ${labels.join(' / ')} (${shown})`,
      type: WHOLE.has(unit) ? 'integer' : 'number',
      nullable: from.nullable || (!open && (to?.nullable ?? false)),
      values: [],
      elapsed: { from, to, today: open ? this.today : null, unit },
    };
    this.made.set(name, made);
    return made;
  }
}
