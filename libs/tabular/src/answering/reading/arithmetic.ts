import type { Arithmetic, AskedColumn, AskedTable } from '../asked-table.js';
import { isMeasured, unitOf } from './conditions.js';
import { addsUp, isStock, isSummedAtAll } from './measures.js';
import { isTime, labelOf, isYearColumn } from './reading.js';
import { isHeld, isReorderLevel } from './stocks.js';
import { quantityOf, takingsOf } from './synonyms.js';
import { nameWords } from './words.js';

const PRICE =
  /^(?:price|preis|einzelpreis|stuckpreis|verkaufspreis|prix|precio|prezzo|preco|prijs|stuksprijs|verkoopprijs|سعر|السعر)$/;
const COST = /^(?:cost|kosten|einkaufspreis|cout|coste|costo|custo|kostprijs|inkoopprijs)$/;
/** What a price with one of these is of: all pieces, or none of them. */
const OF_MORE =
  /^(?:total|sum|subtotal|line|extended|gesamt|summe|totale|totaal|shipping|storage|holding|delivery|freight|old|former|average|avg|min|max)$/;
/** What takes away from a price. */
const REDUCED =
  /^(?:discount|discounts|rabatt|nachlass|remise|descuento|sconto|desconto|korting|returned|returns|refund|refunds)$/;
/** Columns that say it themselves. */
const WORTH = /^(?:value|worth|valuation|wert|lagerwert|bestandswert|valeur|valor|valore|waarde|voorraadwaarde)$/;
const AMOUNT =
  /^(?:amount|total|subtotal|sum|betrag|summe|gesamt|gesamtbetrag|gesamtpreis|montant|importe|importo|valor|bedrag|totaal|totale)$/;
/** What is no price of the goods, though it adds up. */
const BESIDE =
  /^(?:cost|costs|tax|taxes|vat|discount|discounts|shipping|freight|tip|fee|fees|refund|refunds|quantity|qty|units|kosten|steuer)$/;
const SPENT =
  /^(?:cost|costs|expense|expenses|expenditure|expenditures|cogs|kosten|ausgaben|aufwand|couts|cout|depenses|charges|costes|coste|gastos|costi|spese|custos|despesas|uitgaven)$/;
const SPENDABLE = /^budget(?:s|ed)?$/;
/** Costs as a whole. */
const WHOLE =
  /^(?:costs?|expenses?|expenditures?|cogs|goods|sold|total|all|overall|of|in|usd|eur|gbp|chf|kosten|ausgaben|aufwand|gesamt|gesamtkosten|couts?|depenses|charges|costes?|gastos|costi|spese|custos|despesas|uitgaven|totales?|totais|totaal|totali?)$/;
const SPEND = /^(?:spent|spend|spending)$/;
const PROFIT = /^(?:profit|profits|gewinn|benefice|beneficio|ganancia|profitto|utile|lucro|winst)$/;
const CLICKS = /^(?:click|clicks|klicks|clics|clicchi|cliques)$/;
const SEEN = /^(?:impression|impressions|impressionen|impresiones|impressioni|impressoes|vertoningen)$/;
const CONVERTED =
  /^(?:conversion|conversions|conversies|konversionen|conversiones|conversioni|conversoes|signups|purchases)$/;
const CAME =
  /^(?:click|clicks|klicks|clics|visit|visits|visitor|visitors|session|sessions|lead|leads|besucher|besuche|visites|visitas)$/;
const SIGNS = { '*': ['times', '×'], '-': ['minus', '−'], '/': ['per', '÷'] } as const;
const PLANNED = /^(?:budget|budgets|budgeted|target|targets|plan|planned|quota|goal|forecast|soll|ziel|objectif)$/;
const ACTUAL = /^(?:actual|actuals|spent|spend|spending|achieved|achievement|ist|real|reel|realise)$/;
/** A table of what there is, and not of what was sold. */
const STORE =
  /^(?:stock|stocks|inventory|inventories|warehouse|lager|bestand|inventar|inventaire|inventario|estoque|voorraad|magazzino)$/;

const partsOf = (column: AskedColumn) => [...new Set([...nameWords(labelOf(column)), ...nameWords(column.name)])];
const isNamed = (column: AskedColumn, names: RegExp) => partsOf(column).some((part) => names.test(part));
const only = (columns: readonly AskedColumn[]) => (columns.length === 1 ? columns[0]! : null);

/** What can be reckoned of each row of a table from two of its numbers, where no column says it. */
export class ArithmeticColumns {
  private readonly made = new Map<string, AskedColumn>();
  private readonly measured: readonly AskedColumn[];

  constructor(private readonly table: AskedTable) {
    this.measured = table.columns.filter(isMeasured);
  }

  /** What of the goods is there is worth: by the price of a piece, by its cost. */
  get holdings(): AskedColumn[] {
    const held = only(this.measured.filter(isHeld)) ?? (this.isStore() ? quantityOf(this.table) : null);
    if (!held || this.isOfDays() || this.measured.some((column) => isNamed(column, WORTH))) return [];
    const prices =
      this.pricesOf(PRICE).length > 0 ? [...this.pricesOf(PRICE), ...this.pricesOf(COST)] : this.pricesOf(COST);
    return prices.map((price) => this.column('*', held, price));
  }

  /** What each row took in: what is said to be its amount, else so many pieces at that price. */
  get takings(): AskedColumn | null {
    const quantity = quantityOf(this.table);
    if (!quantity || this.isStore()) return null;
    const others = this.measured.filter((column) => column !== quantity);
    const amounts = others.filter((column) => isNamed(column, AMOUNT) && !isNamed(column, BESIDE));
    if (amounts.length > 0) return only(amounts);
    const price = only(others.filter((column) => isNamed(column, PRICE)));
    // Where something was taken off, or another column may say what was paid, no figure is made up.
    const isSaid = others.some((column) => addsUp(column) || isNamed(column, REDUCED));
    return price && !isSaid && !isNamed(price, OF_MORE) ? this.column('*', quantity, price) : null;
  }

  get profit(): AskedColumn | null {
    const takings = takingsOf(this.table);
    const costs = this.measured.filter((column) => isNamed(column, SPENT) && addsUp(column));
    // Of some costs alone it is not known what is left.
    const spent = only(costs.filter((column) => nameWords(labelOf(column)).every((part) => WHOLE.test(part))));
    return takings && spent && costs.length === 1 && takings !== spent ? this.remainder(takings, spent) : null;
  }

  /** What is left of what was taken in, in percent of it. */
  get margin(): AskedColumn | null {
    const takings = takingsOf(this.table);
    const own = only(this.measured.filter((column) => isNamed(column, PROFIT) && addsUp(column)));
    const profit = own ?? this.profit;
    return takings && profit && own !== takings ? this.quotient(profit, takings, true) : null;
  }

  /** How many of those who saw something clicked, in percent. */
  get clickRate(): AskedColumn | null {
    const [clicks, seen] = [CLICKS, SEEN].map((names) => only(this.counting(names)));
    return clicks && seen ? this.quotient(clicks, seen, true) : null;
  }

  /** How many of those who came did what they were to, in percent: of clicks, of visits, of leads. */
  get conversionRates(): AskedColumn[] {
    const done = only(this.counting(CONVERTED));
    const came = this.counting(CAME).filter((column) => column !== done);
    return done ? came.map((column) => this.quotient(done, column, true)) : [];
  }

  /** What was spent, whatever it is called. */
  get spending(): AskedColumn | null {
    return only(this.measured.filter((column) => (isNamed(column, SPENT) || isNamed(column, SPEND)) && addsUp(column)));
  }

  /** "Cost per click" */
  quotient(first: AskedColumn, second: AskedColumn, percent = false): AskedColumn {
    return this.column('/', first, second, percent);
  }

  /** Whether all of its rows together are so many. Of each month there are the same employees again. */
  isCounted(column: AskedColumn): boolean {
    const isOfTime = this.table.columns.some((own) => isTime(own) || isYearColumn(own));
    return addsUp(column) || (isSummedAtAll(column) && !(isOfTime && isStock(column)));
  }

  private counting(names: RegExp): AskedColumn[] {
    return this.measured.filter(
      (column) => isNamed(column, names) && this.isCounted(column) && column.type === 'integer',
    );
  }

  /** How far what is there is from a limit, what was done from what was planned. @param limit that is named */
  from(limit: AskedColumn): AskedColumn | null {
    if (isReorderLevel(limit)) {
      const held = only(this.measured.filter(isHeld)) ?? quantityOf(this.table);
      return held ? this.difference(held, limit) : null;
    }
    if (!isNamed(limit, PLANNED)) return null;
    const others = this.measured.filter((column) => column !== limit && !isNamed(column, PLANNED));
    const actual = others.filter((column) => isNamed(column, ACTUAL));
    // What comes in keeps to no budget.
    const done = others.filter((column) => (isNamed(limit, SPENDABLE) ? isNamed(column, SPENT) : addsUp(column)));
    const column = only(actual.length > 0 ? actual : done);
    return column && this.difference(column, limit);
  }

  /** How far what is there is from what lets it be ordered again. */
  get overReorderLevel(): AskedColumn | null {
    const limit = only(this.measured.filter(isReorderLevel));
    return limit && this.from(limit);
  }

  /** Null between two currencies, or two units of measure. */
  difference(first: AskedColumn, second: AskedColumn): AskedColumn | null {
    const [one, other] = [unitOf(first), unitOf(second)];
    return one !== null && other !== null && one !== other ? null : this.column('-', first, second);
  }

  /** To be added up; null where a row may have one of the two alone, which counts for the difference of their sums. */
  remainder(first: AskedColumn, second: AskedColumn): AskedColumn | null {
    return first.nullable || second.nullable ? null : this.difference(first, second);
  }

  product(first: AskedColumn, second: AskedColumn): AskedColumn {
    return this.column('*', first, second);
  }

  private pricesOf(names: RegExp): AskedColumn[] {
    return this.measured.filter((column) => isNamed(column, names) && !isNamed(column, OF_MORE));
  }

  /** Whether it has the same things again on other days: what there is of them is not added up. */
  private isOfDays(): boolean {
    const { columns } = this.table;
    return columns.some(isTime) && !columns.some((column) => column.unique === true && !isTime(column));
  }

  private isStore(): boolean {
    const { alias, name, sheet, filename, columns } = this.table;
    const names = [alias, name, sheet ?? '', filename.replace(/\.[^.]+$/, '')].flatMap(nameWords);
    return (names.some((part) => STORE.test(part)) || columns.some(isReorderLevel)) && !columns.some(isSale);
  }

  /** The same one each time: columns are told apart by what they are, not by their names. */
  private column(op: Arithmetic['op'], first: AskedColumn, second: AskedColumn, percent = false): AskedColumn {
    const [word, sign] = SIGNS[op];
    const name = [first.name, percent ? 'percent_of' : word, second.name].join('_');
    const known = this.made.get(name);
    if (known) return known;
    const unit = percent ? '%' : op === '/' ? first.unit : (second.unit ?? first.unit);
    const made: AskedColumn = {
      name,
      originalName: `${partLabel(first)} ${sign} ${partLabel(second)}`,
      type: op !== '/' && first.type === 'integer' && second.type === 'integer' ? 'integer' : 'number',
      nullable: first.nullable || second.nullable,
      values: [],
      arithmetic: { op, first, second, ...(percent && { percent }) },
      ...(unit !== undefined && { unit }),
    };
    this.made.set(name, made);
    return made;
  }
}

function partLabel(column: AskedColumn): string {
  return column.arithmetic ? `(${labelOf(column)})` : labelOf(column);
}

function isSale(column: AskedColumn): boolean {
  return isTime(column) && isNamed(column, /^(?:order|ordered|sale|sold|purchase|invoice|transaction)$/);
}
