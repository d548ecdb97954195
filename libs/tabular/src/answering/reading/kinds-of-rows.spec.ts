import type { AskedTable } from '../asked-table.js';
import { filledColumn, tableOf } from './asked-table.spec-support.js';
import { nounsOfRows } from './kinds-of-rows.js';
import { readQuestion } from './read-question.js';
import { readingSql } from './reading-sql.js';

const cities = filledColumn('city', 'text', { values: ['Austin', 'Dallas'], complete: true, unique: false });
const listings = tableOf('listings', [
  filledColumn('address', 'text', { unique: true }),
  cities,
  filledColumn('price', 'number'),
  filledColumn('bedrooms', 'integer'),
  filledColumn('sold', 'text', { values: ['yes', 'no'], complete: true, unique: false }),
]);
const cars = tableOf('inventory', [
  filledColumn('make', 'text', { values: ['Audi', 'Ford'], complete: true, unique: false }),
  filledColumn('model', 'text', { unique: false }),
  filledColumn('year', 'integer'),
  filledColumn('price', 'number'),
]);

function sqlOf(question: string, table: AskedTable): string | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  return reading?.kind === 'query' ? readingSql(reading) : (reading?.kind ?? null);
}

describe('what rows are called by what their columns say', () => {
  it.each([
    ['how many homes are in Austin', `SELECT count(*) AS "count" FROM "listings" WHERE "city" = 'Austin'`],
    ['average price of properties by city', 'SELECT "city", avg("price") AS "avg_price" FROM "listings" GROUP BY 1'],
    ['list houses with price under 300000', 'SELECT * FROM "listings" WHERE "price" < 300000'],
    ['cheapest house', 'SELECT * FROM "listings" ORDER BY "price" ASC NULLS LAST LIMIT 1'],
  ])('%s', (question, sql) => {
    expect(sqlOf(question, listings)?.replace(/ ORDER BY "avg.*$/, '')).toBe(sql);
  });

  it('takes two signs where one alone says nothing', () => {
    expect(sqlOf('how many cars', cars)).toBe('SELECT count(*) AS "count" FROM "inventory"');
    const phones = { ...cars, columns: cars.columns.filter(({ name }) => name !== 'make') };
    expect(sqlOf('how many cars', phones)).toBeNull();
  });

  it('takes no sort of things for all of them', () => {
    for (const question of ['average price of apartments', 'how many condos'])
      expect(sqlOf(question, listings)).toBeNull();
    const styled = {
      ...listings,
      columns: [...listings.columns, filledColumn('home_style', 'text', { values: ['Condo', 'Loft'] })],
    };
    expect(sqlOf('average price of houses', styled)).toBeNull();
  });

  it('leaves the words of columns and values alone, and files that may be of two kinds', () => {
    const kind = filledColumn('property_type', 'text', {
      values: ['House', 'Apartment'],
      complete: true,
      unique: false,
    });
    const nouns = nounsOfRows({ ...listings, columns: [...listings.columns, kind] });
    expect([nouns.has('home'), nouns.has('house'), nouns.has('houses'), nouns.has('property')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const both = { ...cars, columns: [...cars.columns, filledColumn('bedrooms', 'integer')] };
    expect([...nounsOfRows(both)]).toEqual([]);
  });
});
