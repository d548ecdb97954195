import type { AskedTable } from '../asked-table.js';
import { column, filledColumn, tableOf } from './asked-table.spec-support.js';
import { describe as inWords } from './describe.js';
import { readQuestion } from './read-question.js';

const text = (name: string, values: string[]) => filledColumn(name, 'text', { values, complete: true, unique: false });
const number = (name: string) => filledColumn(name, 'number', { span: [0, 900] });
const products = text('product', ['Mug', 'Lamp']);

const inventory = tableOf('inventory', [
  filledColumn('product', 'text', { values: ['Mug', 'Lamp'], complete: true, unique: true }),
  text('supplier', ['Acme', 'Best']),
  filledColumn('stock', 'integer', { span: [0, 900] }),
  filledColumn('reorder_level', 'integer', { span: [5, 100] }),
  number('unit_price'),
]);
const unpriced = tableOf('inventory', inventory.columns.slice(0, 4));
const costed = tableOf('inventory', [...inventory.columns, number('unit_cost')]);
const valued = tableOf('inventory', [...inventory.columns, number('stock_value')]);
const lines = tableOf('lines', [products, filledColumn('quantity', 'integer', { span: [1, 9] }), number('unit_price')]);
const sales = tableOf('sales', lines.columns);
const reduced = tableOf('lines', [...lines.columns, number('discount')]);
const paid = tableOf('lines', [...lines.columns, number('amount')]);
const summed = tableOf('lines', [products, lines.columns[1]!, number('total_price')]);
const twice = tableOf('lines', [...paid.columns, number('total')]);
const finance = tableOf('finance', [text('department', ['HR', 'IT']), number('revenue'), number('cost')]);
const daily = tableOf('inventory', [
  filledColumn('day', 'date', { span: ['2026-01-01', '2026-11-20'], unique: false }),
  products,
  ...inventory.columns.slice(2),
]);
const abroad = tableOf('finance', [
  finance.columns[0]!,
  { ...number('revenue'), unit: 'EUR' },
  { ...number('cost'), unit: 'USD' },
]);
const partly = tableOf('finance', [...finance.columns.slice(0, 2), number('marketing_cost')]);
const ordered = tableOf('inventory', [...unpriced.columns.slice(0, 3), number('min_order_quantity')]);
const open = tableOf('finance', [...finance.columns.slice(0, 2), column('cost', 'number')]);
const told = tableOf('finance', [...finance.columns, number('profit')]);
const budgets = tableOf('budgets', [text('department', ['HR', 'IT']), number('budget'), number('actual')]);
const earned = tableOf('budgets', [text('department', ['HR', 'IT']), number('budget'), number('revenue')]);
const month = filledColumn('month', 'date', { span: ['2025-01-01', '2026-11-01'] });
const people = (name: string) => filledColumn(name, 'integer', { span: [1, 900] });
const monthly = tableOf('shops', [month, text('shop', ['A', 'B']), number('revenue'), people('employees')]);
const visits = tableOf('web', [month, people('visitors'), people('sessions'), people('signups')]);
const staff = tableOf('staff', [
  filledColumn('name', 'text', { values: ['Ann', 'Bob'], complete: true, unique: true }),
  number('salary'),
  filledColumn('years_of_experience', 'integer', { span: [0, 30] }),
]);

function read(question: string, table: AskedTable): string | string[] | null {
  const { reading } = readQuestion(question, [table], [], '2026-11-30');
  if (reading?.kind === 'query') return inWords(reading, 'en');
  return reading ? (reading.readings?.map((each) => inWords(each, 'en')) ?? reading.choices) : null;
}

describe('figures that two columns make together', () => {
  it.each<[string, AskedTable, string | string[] | null]>([
    ['stock value', inventory, 'sum of “stock × unit_price” of table “inventory”'],
    ['stock value of Acme', inventory, 'sum of “stock × unit_price” of table “inventory” where “supplier” = Acme'],
    ['valor del inventario', inventory, 'sum of “stock × unit_price” of table “inventory”'],
    ['valeur du stock', inventory, 'sum of “stock × unit_price” of table “inventory”'],
    ['total revenue', lines, 'sum of “quantity × unit_price” of table “lines”'],
    ['omzet', lines, 'sum of “quantity × unit_price” of table “lines”'],
    ['total amount per quantity', paid, 'sum of “amount” ÷ sum of “quantity” of table “lines”'],
    ['total profit', finance, 'sum of “revenue − cost” of table “finance”'],
    ['Gewinn', finance, 'sum of “revenue − cost” of table “finance”'],
    ['total stock value', valued, 'sum of “stock_value” of table “inventory”'],
    ['total profit', told, 'sum of “profit” of table “finance”'],
    ['total revenue', paid, 'sum of “amount” of table “lines”'],
    ['total sales', summed, 'sum of “total_price” of table “lines”'],
  ])('%s', (question, table, expected) => expect(read(question, table)).toEqual(expected));

  it.each<[string, AskedTable, string[] | null]>([
    // How many pieces there are is not what they are worth.
    ['total value of stock', unpriced, null],
    ['stock value by supplier', unpriced, null],
    // By what they cost, or by what they are sold for?
    ['total stock value', costed, ['stock × unit_price', 'stock × unit_cost']],
    ['average sale', sales, ['quantity × unit_price', 'quantity', 'unit_price']],
    // What was taken off is in none of the two.
    ['total revenue', reduced, null],
    ['total sales', twice, null],
    ['net profit', finance, null],
    // Of each day there is the same again.
    ['total stock value', daily, null],
    ['total profit', abroad, null],
    ['departments with costs above revenue', abroad, null],
    // A row may have one of the two alone.
    ['total profit', open, null],
    ['revenue minus cost', open, null],
    ['difference between revenue and cost', finance, null],
    ['profit margin', open, null],
    ['total profit', partly, null],
    ['products with low stock', ordered, null],
    ['how many lines were paid', lines, null],
    ['conversion rate', visits, ['signups ÷ visitors', 'signups ÷ sessions']],
    // Of each month there are the same again.
    ['revenue per employee', monthly, null],
    // Along them
    ['salary over years of experience', staff, null],
    // What comes in keeps to no budget.
    ['departments over budget', earned, null],
    ['which department exceeded the budget the most', budgets, null],
    ['departments over budget 500', budgets, null],
    ['products where stock is less than 2 times reorder level', inventory, null],
    ['products where stock is below half of the reorder level', inventory, null],
  ])('are not made up: %s', (question, table, expected) => expect(read(question, table)).toEqual(expected));
});
