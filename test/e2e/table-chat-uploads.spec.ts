import { utils, write } from '@e965/xlsx';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { csv, importTable } from '../support/tabular-api.js';

interface ChatAnswer {
  status: string;
  sql: string;
  rows: unknown[][];
  mgid: string | null;
}

const SALES = 'City,Product,Amount,Sold On\n'.concat(
  ...Array.from({ length: 300 }, (_, at) => {
    const city = ['Amman', 'Irbid', 'عمّان'][at % 3];
    return `${city},P${at % 7},${at}.5,2024-${String((at % 12) + 1).padStart(2, '0')}-15\n`;
  }),
);

/** What the generated rows add up to for every third city. */
const sum = (city: number) =>
  Array.from({ length: 300 }, (_, at) => at + 0.5)
    .filter((_, at) => at % 3 === city)
    .reduce((total, amount) => total + amount, 0);

describe('questions to uploaded files', () => {
  let platform: HostedPlatform;
  let client: HttpClient;
  beforeAll(async () => {
    platform = await hostPlatform();
    client = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  it('answers from a CSV, and from two at once', async () => {
    const { uid } = await importTable(client, csv(SALES, 'sales.csv'));
    const ask = (message: string, more: object = {}) =>
      client.post<ChatAnswer>('/database-search/chat/', { uid, message, ...more });
    expect((await ask('total amount in Irbid')).rows).toEqual([[sum(1)]]);
    expect((await ask('ما عدد الصفوف في عمّان؟')).rows).toEqual([[100]]);
    const months = await ask('average amount by month');
    expect(months.rows).toHaveLength(12);
    expect(months.rows[0]![0]).toBe('2024-01-01');
    expect(await client.get(`/microservices/dashboard-data/?mgid=${months.mgid}`)).toMatchObject({
      chart_type: 'line',
    });
    const second = await importTable(client, csv('City,People\nAmman,4000000\nIrbid,2000000\n', 'cities.csv'));
    const both = await ask('total people', { uid: undefined, uids: [uid, second.uid] });
    expect(both.rows).toEqual([[6_000_000]]);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const refused = await stranger.send('POST', '/database-search/chat/', { uid, message: 'how many rows' });
    expect(refused.status).toBe(404);
  });

  it('points at the cells of a workbook', async () => {
    const book = utils.book_new();
    const rows = [
      ['Region', 'Revenue', 'Note'],
      ['North', 10, 'x'],
      ['South', 20, 'y'],
      ['South', 30, 'z'],
      ['East', 5, ''],
    ];
    const sheet = utils.aoa_to_sheet([]);
    utils.sheet_add_aoa(sheet, rows, { origin: 'C4' });
    utils.book_append_sheet(book, sheet, 'Q1 figures');
    const bytes = new Uint8Array(write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer);
    const { uid } = await importTable(client, new File([bytes], 'figures.xlsx'), {}, 'spreadsheet-search');
    const text = await client.text('/spreadsheet-search/chat/', { uids: [uid], message: 'total revenue in South' });
    expect(text).toContain('**50**');
    const sources = JSON.parse(text.slice(0, text.lastIndexOf(']') + 1)) as unknown;
    expect(sources).toEqual([
      {
        uid,
        filename: 'figures.xlsx',
        sheet: 'Q1 figures',
        ranges: ['C6:D7'],
        rows: [
          ['South', 20],
          ['South', 30],
        ],
      },
    ]);
  });
});
