import type { LanguageCode } from './language.js';

/** Verbs of a language, as far as they carry little: what they are about is in the names of columns, or in nothing at all. */
export interface Verbs {
  /** The stems of a participle: `hir` of "hired", `liefer` of "geliefert"; none for what is no participle. */
  stems(word: string): string[];
  /** What may be behind the stem in a word of a name: `direct-or`; null for anything, where words are joined. */
  endings: ReadonlySet<string> | null;
  /** What people do beside what they do it with: "placed in May", "who handled". */
  light: ReadonlySet<string>;
  /** What ends a question beside its verb: "Wie oft kommt Köln vor?" */
  particles: ReadonlySet<string>;
  /** Verbs of money and pieces | words of the columns that they may be about, the likeliest line first. */
  measures: readonly (readonly [verbs: string, names: string])[];
  /** What is done with pieces of something. */
  trades: ReadonlySet<string>;
  /** What is done with pieces, for money. */
  buying: ReadonlySet<string>;
  /** "How much", before a thing. */
  howMuch: readonly string[];
  /** What is said behind the name of a column of numbers: "math score". */
  fillers: ReadonlySet<string>;
}

const set = (words: string) => new Set(words.split(/\s+/).filter(Boolean));
const IRREGULAR: Readonly<Record<string, string>> = {
  built: 'build',
  bought: 'buy',
  wrote: 'writ',
  written: 'writ',
  sung: 'sing',
  born: 'birth',
  taught: 'teach',
  led: 'lead',
  won: 'winn',
  sent: 'send',
  left: 'leav',
};

function englishStems(word: string): string[] {
  const irregular = Object.hasOwn(IRREGULAR, word) ? IRREGULAR[word] : undefined;
  if (irregular !== undefined) return [irregular];
  const stem = /^([a-z]{3,})(?:ed|ing)$/.exec(word)?.[1];
  if (stem === undefined) return [];
  if (stem.endsWith('i')) return [`${stem.slice(0, -1)}y`];
  return /([bdgmnprt])\1$/.test(stem) ? [stem, stem.slice(0, -1)] : [stem];
}

/** `geliefert`, `eingestellt`, `verkauft`, `erschienen`. */
function germanStems(word: string): string[] {
  const stem = /^([a-zäöüß]{4,})(?:t|en)$/.exec(word)?.[1];
  if (stem === undefined) return [];
  const bare = stem.replace(/^(ab|an|auf|aus|ein|her|vor|zu|)ge(?=[a-zäöüß]{3})/, '$1').replace(/e$/, '');
  return bare.length >= 4 ? [bare] : [];
}

export const VERBS: Partial<Readonly<Record<LanguageCode, Verbs>>> = {
  en: {
    stems: englishStems,
    endings: set('e d ed ing er or r ion ation ment al y ance ure s').add(''),
    light: set(
      `placed place made make makes came come comes work works worked handled handle handles bought buy buys sold sell sells
       got spend spent spends we took appear appears appeared occur occurs occurred ordered purchased باع باعت بعنا بيع بيعت تباع مباعه المباعه`,
    ),
    particles: set(''),
    measures: [
      ['sell sells sold', 'sales revenue turnover amount'],
      ['sell sells sold', 'units quantity sold'],
      ['spend spends spent', 'spend spent spending expenses amount'],
      ['spend spends spent', 'total revenue turnover sales'],
      ['spend spends spent', 'cost price'],
      ['pay pays paid', 'salary wage pay'],
      ['pay pays paid', 'amount paid payment price fee'],
    ],
    trades: set('sell sells sold buy buys bought order ordered purchased باع باعت بعنا بيع بيعت تباع مباعه المباعه'),
    buying: set('buy buys bought purchased'),
    howMuch: ['how much', 'how much money'],
    fillers: set('score scores grade grades mark marks points rating ratings time'),
  },
  de: {
    stems: germanStems,
    endings: null,
    light: set(
      'verkauft verkaufte verkauften verkaufen gekauft kaufte kaufen bestellt bestellten bestellen arbeitet arbeiten ausgegeben kommt kommen bearbeitet',
    ),
    particles: set('vor'),
    measures: [
      ['verkauft verkaufte verkauften', 'umsatz verkaufe betrag erlos'],
      ['verkauft verkaufte verkauften', 'menge stuck'],
      ['ausgegeben', 'betrag ausgaben kosten summe'],
      ['ausgegeben', 'umsatz umsatze erlos gesamtpreis gesamtbetrag'],
      ['verdient verdienen verdiente', 'gehalt lohn einkommen verdienst'],
    ],
    trades: set('verkauft verkaufte verkauften verkaufen gekauft kaufte kaufen bestellt bestellten bestellen'),
    buying: set('gekauft kaufte kauften kaufen'),
    howMuch: ['wie viel', 'wieviel'],
    fillers: set('punkte wert'),
  },
  fr: {
    stems: () => [],
    endings: null,
    light: set('vendu vendue vendus vendues achete achetee achetes achetees commande commandee commandes commandees'),
    particles: set(''),
    measures: [
      ['vendu vendue vendus vendues vend vendent', 'chiffre ventes montant recettes'],
      ['vendu vendue vendus vendues vend vendent', 'quantite unites'],
    ],
    trades: set('vendu vendue vendus vendues achete achetee achetes achetees commande commandee commandes commandees'),
    buying: set('achete achetee achetes achetees'),
    howMuch: ['combien de', "combien d'"],
    fillers: set(''),
  },
  es: {
    stems: () => [],
    endings: null,
    light: set('vendio vendieron vendido vendidos vendimos compro compraron comprado compramos'),
    particles: set(''),
    measures: [
      ['vende vendio vendieron vendido vendimos', 'ingresos ventas importe facturacion'],
      ['vende vendio vendieron vendido vendimos', 'cantidad unidades'],
    ],
    trades: set('vendio vendieron vendido vendidos vendimos compro compraron comprado compramos'),
    buying: set('compro compraron comprado compramos'),
    howMuch: ['cuánto', 'cuánta', 'cuanto', 'cuanta'],
    fillers: set(''),
  },
};
