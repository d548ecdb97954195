import { rounds } from '../../../../test/support/long.js';
import { anchorQuotes, type SourcePage } from '../kit.js';
import { ModelExtractor } from './model-extractor.js';
import { answerOf, column, page, ScriptedModel, type SaidCellOf } from './model-extractor.spec-support.js';

/** The same numbers in each run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const COLUMNS = [
  column('Invoice number'),
  column('Invoice date', { format: 'date' }),
  column('Supplier'),
  column('Net', { outputType: 'number', format: 'currency' }),
  column('Total', { outputType: 'number', format: 'currency' }),
  column('IBAN', { format: 'iban' }),
];
const SUPPLIERS = ['Northwind Paper Ltd', 'Calder & Sons', 'Orion Metals GmbH', 'Blue Harbour Foods', 'Atlas Freight'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'];
const IBANS = ['DE89 3704 0044 0532 0130 00', 'GB29 NWBK 6016 1331 9268 19', 'FR14 2004 1010 0505 0001 3M02 606'];

const money = (amount: number) => amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function makeInvoice(random: (below: number) => number) {
  const net = 100 + random(90_000) / 100;
  const truth: Record<string, { value: string; quote: string }> = {};
  const say = (name: string, label: string, value: string) => {
    truth[name] = { value, quote: `${label} ${value}` };
    return `${label} ${value}`;
  };
  const text = [
    say('Supplier', 'From:', SUPPLIERS[random(SUPPLIERS.length)]!),
    say('Invoice number', 'Invoice no.', `INV-${2000 + random(8000)}-${random(100)}`),
    say('Invoice date', 'Date of issue:', `${1 + random(28)} ${MONTHS[random(8)]!} 2024`),
    `Order no. ORD-${1000 + random(9000)} of ${1 + random(28)} ${MONTHS[random(8)]!} 2023`,
    `Bolts M8, 200 pieces ${money(net * 0.4)}`,
    `Nuts M8, 200 pieces ${money(net * 0.6)}`,
    say('Net', 'Net amount', money(net)),
    `VAT 19 % ${money(net * 0.19)}`,
    say('Total', 'Amount due', `${money(net * 1.19)} EUR`),
    say('IBAN', 'Please pay to', IBANS[random(IBANS.length)]!),
  ].join('\n');
  return { text, truth };
}

const changeDigit = (text: string, random: (below: number) => number) => {
  const digits = [...text.matchAll(/\d/g)];
  const at = digits[random(digits.length)]?.index;
  return at === undefined
    ? text
    : `${text.slice(0, at)}${(Number(text[at]) + 1 + random(8)) % 10}${text.slice(at + 1)}`;
};

/** What a model makes up: each looks as if it were read. */
const LIES: readonly ((
  truth: { value: string; quote: string },
  other: { value: string; quote: string },
  random: (below: number) => number,
) => { value: string; quote: string })[] = [
  // A misread figure, in the quote as well.
  ({ value, quote }, _other, random) => {
    const wrong = changeDigit(value, random);
    return { value: wrong, quote: quote.replace(value, wrong) };
  },
  // True words for a wrong value.
  ({ value, quote }, _other, random) => ({ value: changeDigit(value, random), quote }),
  // Words of another field.
  ({ value }, { quote }, random) => ({ value: changeDigit(value, random), quote }),
  // A label alone.
  ({ value, quote }, _other, random) => ({ value: changeDigit(value, random), quote: quote.replace(value, '').trim() }),
  // A sentence that stands nowhere.
  ({ value }) => ({ value: `9${value}`, quote: `as agreed in the contract, ${value}0 is owed` }),
  // A part of a figure.
  ({ value, quote }) => ({ value: value.slice(0, -1), quote: quote.slice(0, -1) }),
];

const NUMERIC = COLUMNS.filter(({ name }) => name !== 'Supplier');

const anchor = (within: readonly SourcePage[], quotes: Parameters<typeof anchorQuotes>[1]) =>
  Promise.resolve(anchorQuotes(within, quotes));

describe('a model that lies well', () => {
  it('has at most one of a hundred false quotes taken for proof, and its true ones are', async () => {
    const random = makeRandom(16);
    const counts = { lies: 0, believed: 0, truths: 0, proved: 0 };
    for (let document = 0; document < rounds(60, 24); document += 1) {
      const { text, truth } = makeInvoice(random);
      const lied = new Set(NUMERIC.filter(() => random(2) === 0).map(({ name }) => name));
      const said = COLUMNS.map((asked, at): SaidCellOf & { name: string } => {
        const real = truth[asked.name]!;
        const others = Object.values(truth).filter((one) => one !== real);
        const lie = LIES[random(LIES.length)]!;
        const told = lied.has(asked.name) ? lie(real, others[random(others.length)]!, random) : real;
        return { name: asked.name, column: `c${at + 1}`, ...told };
      });
      // A second look asks for some of the columns under other names, and is told the same.
      const model = new ScriptedModel(({ system }) => {
        const names = [...(system ?? '').matchAll(/"column":"(c\d+)","name":"([^"]+)"/g)];
        return answerOf(names.map(([, key, name]) => ({ ...said.find((cell) => cell.name === name)!, column: key! })));
      });
      const pages: SourcePage[] = [page(1, text)];
      const job = { pages, columns: COLUMNS, rowMode: 'document' as const, model, userId: 1, anchor };
      const [row] = await new ModelExtractor({ ...job, signal: new AbortController().signal }).extract();
      for (const [name, { evidence }] of row!) {
        const isProved = evidence.status === 'anchored';
        if (lied.has(name)) {
          counts.lies += 1;
          if (isProved) counts.believed += 1;
        } else {
          counts.truths += 1;
          if (isProved) counts.proved += 1;
        }
      }
    }
    expect(counts.lies).toBeGreaterThan(rounds(120, 48));
    expect(counts).toEqual({ ...counts, proved: counts.truths });
    expect(counts.believed).toBeLessThanOrEqual(counts.lies / 100);
  });
});
