import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { assert, asyncProperty, constantFrom, record } from 'fast-check';
import { rounds } from '../../../../../test/support/long.js';
import { sqlText, type AskedTable } from '../asked-table.js';
import { lexiconOf } from './lexicon.js';
import { LANGUAGES, type OtherLanguage } from './lexicon/languages.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

interface Tongue {
  /** Of the city, the product, the quantity, the day. */
  names: [city: string, product: string, quantity: string, day: string];
  /** V is the value; the figure, and whether its rows are those with the value. */
  questions: [turns: string[], select: string, where: string][];
}

const SUM = 'sum(quantity)';
const OWN = 'city = VALUE';
const MARCH = `day >= '2024-03-01' AND day < '2024-06-01'`;
const OVER = 'quantity > 10';
const PUMP = `product = 'Pump' AND year(day) = 2024`;

const TONGUES: Partial<Record<OtherLanguage, Tongue>> = {
  de: {
    names: ['Stadt', 'Produkt', 'Menge', 'Datum'],
    questions: [
      [['Gesamtmenge in V'], SUM, OWN],
      [['Menge von V'], SUM, OWN],
      [['Wie hoch ist die gesamte Menge für V?'], SUM, OWN],
      [['Menge nach V'], SUM, OWN],
      [['wie viele Zeilen mit Stadt V'], 'count(*)', OWN],
      [['wie viele Zeilen gibt es, die V haben'], 'count(*)', OWN],
      [['durchschnittliche Menge in V'], 'avg(quantity)', OWN],
      [['Menge ohne V'], SUM, 'city <> VALUE'],
      [['Gesamtmenge', 'und für V?'], SUM, OWN],
      [['Wie hoch ist die gesamte Menge?'], SUM, 'true'],
      [['wie viele Zeilen gibt es'], 'count(*)', 'true'],
      [['durchschnittliche Menge der Pump im Jahr 2024'], 'avg(quantity)', PUMP],
      [['wie viele Zeilen mit einer Menge über 10'], 'count(*)', OVER],
      [['wie viele Zeilen zwischen März und Mai 2024'], 'count(*)', MARCH],
    ],
  },
  fr: {
    names: ['Ville', 'Produit', 'Quantité', 'Date'],
    questions: [
      [['quantité totale à V'], SUM, OWN],
      [['quantité de V'], SUM, OWN],
      [['Quelle est la quantité totale pour V ?'], SUM, OWN],
      [['combien de lignes avec ville V'], 'count(*)', OWN],
      [['quantité moyenne à V'], 'avg(quantity)', OWN],
      [['quantité sans V'], SUM, 'city <> VALUE'],
      [['quantité totale', 'et pour V ?'], SUM, OWN],
      [['Quelle est la quantité totale ?'], SUM, 'true'],
      [['combien de lignes y a-t-il'], 'count(*)', 'true'],
      [["quantité moyenne de Pump pour l'année 2024"], 'avg(quantity)', PUMP],
      [['combien de lignes avec une quantité de plus de 10'], 'count(*)', OVER],
      [['combien de lignes entre mars et mai 2024'], 'count(*)', MARCH],
    ],
  },
  es: {
    names: ['Ciudad', 'Producto', 'Cantidad', 'Fecha'],
    questions: [
      [['cantidad total en V'], SUM, OWN],
      [['cantidad de V'], SUM, OWN],
      [['¿Cuál es la cantidad total para V?'], SUM, OWN],
      [['cuántas filas con ciudad V'], 'count(*)', OWN],
      [['cantidad media en V'], 'avg(quantity)', OWN],
      [['cantidad sin V'], SUM, 'city <> VALUE'],
      [['cantidad total', '¿y para V?'], SUM, OWN],
      [['¿Cuál es la cantidad total?'], SUM, 'true'],
      [['cuántas filas hay'], 'count(*)', 'true'],
      [['cantidad media de Pump en 2024'], 'avg(quantity)', PUMP],
      [['cuántas filas con cantidad mayor que 10'], 'count(*)', OVER],
      [['cuántas filas entre marzo y mayo de 2024'], 'count(*)', MARCH],
    ],
  },
  it: {
    names: ['Città', 'Prodotto', 'Quantità', 'Data'],
    questions: [
      [['quantità totale a V'], SUM, OWN],
      [['quantità di V'], SUM, OWN],
      [['Qual è la quantità totale per V?'], SUM, OWN],
      [['quante righe con città V'], 'count(*)', OWN],
      [['quantità media a V'], 'avg(quantity)', OWN],
      [['quantità senza V'], SUM, 'city <> VALUE'],
      [['quantità totale', 'e per V?'], SUM, OWN],
      [['Qual è la quantità totale?'], SUM, 'true'],
      [['quante righe ci sono'], 'count(*)', 'true'],
      [["quantità media di Pump nell'anno 2024"], 'avg(quantity)', PUMP],
      [['quante righe con quantità maggiore di 10'], 'count(*)', OVER],
      [['quante righe tra marzo e maggio 2024'], 'count(*)', MARCH],
    ],
  },
  pt: {
    names: ['Cidade', 'Produto', 'Quantidade', 'Data'],
    questions: [
      [['quantidade total em V'], SUM, OWN],
      [['quantidade de V'], SUM, OWN],
      [['Qual é a quantidade total para V?'], SUM, OWN],
      [['quantas linhas com cidade V'], 'count(*)', OWN],
      [['quantidade média no V'], 'avg(quantity)', OWN],
      [['quantidade sem V'], SUM, 'city <> VALUE'],
      [['quantidade total', 'e para V?'], SUM, OWN],
      [['Qual é a quantidade total?'], SUM, 'true'],
      [['quantas linhas há'], 'count(*)', 'true'],
      [['quantidade média de Pump no ano de 2024'], 'avg(quantity)', PUMP],
      [['quantas linhas com quantidade maior que 10'], 'count(*)', OVER],
      [['quantas linhas entre março e maio de 2024'], 'count(*)', MARCH],
    ],
  },
  nl: {
    names: ['Stad', 'Artikel', 'Hoeveelheid', 'Datum'],
    questions: [
      [['totale hoeveelheid in V'], SUM, OWN],
      [['hoeveelheid van V'], SUM, OWN],
      [['Wat is de totale hoeveelheid voor V?'], SUM, OWN],
      [['hoeveel rijen met stad V'], 'count(*)', OWN],
      [['gemiddelde hoeveelheid in V'], 'avg(quantity)', OWN],
      [['hoeveelheid zonder V'], SUM, 'city <> VALUE'],
      [['totale hoeveelheid', 'en voor V?'], SUM, OWN],
      [['Wat is de totale hoeveelheid?'], SUM, 'true'],
      [['hoeveel rijen zijn er'], 'count(*)', 'true'],
      [['gemiddelde hoeveelheid van Pump in het jaar 2024'], 'avg(quantity)', PUMP],
      [['hoeveel rijen met een hoeveelheid boven 10'], 'count(*)', OVER],
      [['hoeveel rijen tussen maart en mei 2024'], 'count(*)', MARCH],
    ],
  },
};

const title = (word: string) => word.replace(/(^|\s)(\p{L})/gu, (all) => all.toUpperCase());
const CASES = [(word: string) => word, title, (word: string) => word.toUpperCase()] as const;

function tableWith(value: string, { names }: Tongue): AskedTable {
  const column = (at: number, name: string, type: 'text' | 'integer' | 'date', values: string[]) => ({
    name,
    originalName: names[at]!,
    type,
    nullable: false,
    values,
    complete: true,
  });
  return {
    alias: 'sales',
    name: 'sales',
    sheet: null,
    uid: 'u',
    filename: 'sales.csv',
    rowCount: 12,
    columns: [
      column(0, 'city', 'text', [value, 'Irbid', 'Zarqa']),
      column(1, 'product', 'text', ['Valve', 'Pump']),
      { ...column(2, 'quantity', 'integer', []), span: [1, 2048] },
      { ...column(3, 'day', 'date', []), span: ['2023-11-10', '2025-01-24'] },
    ],
    sample: [],
    range: 'A1:D13',
    firstRow: 2,
    contiguous: true,
  };
}

describe('values of the data that are words of asking in other languages', () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
  });
  afterAll(() => connection.closeSync());

  const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();

  async function create(value: string): Promise<void> {
    const rows = Array.from(
      { length: 12 },
      (_, at) =>
        `(${sqlText([value, 'Irbid', 'Zarqa'][at % 3]!)}, ${sqlText(['Valve', 'Pump'][(at >> 1) % 2]!)}, ${2 ** at}, DATE '2023-11-10' + ${at * 40})`,
    );
    await connection.run(
      `CREATE OR REPLACE TABLE sales AS SELECT * FROM (VALUES ${rows.join(', ')}) t(city, product, quantity, day)`,
    );
  }

  const tongues = Object.entries(TONGUES) as [OtherLanguage, Tongue][];

  it('are tried in every language', () => expect(Object.keys(TONGUES)).toEqual(Object.keys(LANGUAGES)));

  it.each(tongues)('never give a wrong number: %s', async (code, tongue) => {
    const words = [...lexiconOf(code).keys(), ...lexiconOf('en').keys(), ...Object.keys(LANGUAGES[code]!.numbers)];
    const written = record({
      word: constantFrom(...words.filter((word) => /[\p{L}\p{N}]/u.test(word))),
      stored: constantFrom(...CASES),
      shape: constantFrom(...CASES),
    });
    const runs = process.env['ATRIUM_PROPERTY_RUNS'];
    let answered = 0;
    let all = 0;
    await assert(
      asyncProperty(written, async ({ word, stored, shape }) => {
        const value = stored(word);
        await create(value);
        for (const [turns, select, where] of tongue.questions) {
          const said = turns.map((turn) => turn.replace(/\bV\b/, shape(word)));
          const history = said.slice(0, -1).map((question) => ({ question, sql: null, answer: '' }));
          const { reading } = readQuestion(said.at(-1)!, [tableWith(value, tongue)], history);
          all++;
          if (reading?.kind !== 'query') continue;
          answered++;
          const right = await rowsOf(`SELECT ${select} FROM sales WHERE ${where.replace('VALUE', sqlText(value))}`);
          const sql = readingSql(reading);
          expect({ said, sql, rows: await rowsOf(sql) }).toEqual({ said, sql, rows: right });
        }
      }),
      runs === undefined ? { numRuns: rounds(15, 6), seed: 12 } : { numRuns: Number(runs) },
    );
    // Refusing everything would be no wrong number either.
    expect(answered / all).toBeGreaterThan(0.35);
  });
});
