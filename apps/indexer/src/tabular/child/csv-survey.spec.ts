import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { surveyCsv } from './csv-survey.js';

describe('the survey of a CSV', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'atrium-survey-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const survey = async (content: string | Uint8Array) => {
    const path = join(folder, 'table.csv');
    await writeFile(path, content);
    return surveyCsv(path, ',');
  };

  it('counts records and cells as a CSV means them', async () => {
    const { widths, ...found } = await survey('a,b,c\r\n"x,\ny",2\r\n\r\n1,2,3,,\r\n,,\r\n"say ""hi""",1,2');
    expect(found).toMatchObject({ utf8: true, records: 5, cells: 5, ragged: true, padded: false, unclosedAt: null });
    expect([...widths]).toEqual([
      [0, { records: 1, first: 4 }],
      [2, { records: 1, first: 2 }],
      [3, { records: 3, first: 1 }],
    ]);
  });

  it.each([
    ['a, b\n', true],
    ['a ,b\n', true],
    ['a,b \n', true],
    ['" a",b\n', true],
    ['"a ",b\n', true],
    ['a,\u00a0b\n', true],
    ['a,b', false],
    ['a b,c d\n"e f"\n', false],
  ])('notices blanks around cells: %j', async (text, padded) => {
    expect((await survey(text)).padded).toBe(padded);
  });

  it('finds where a quotation mark stays open', async () => {
    expect((await survey('a,b\n1,"2\n3,4\n')).unclosedAt).toBe(2);
  });

  it('tells UTF-8 from what is not, across the pieces that are read', async () => {
    const megabyte = 'ة'.repeat(524_287);
    expect((await survey(`a${megabyte}${megabyte}ي,1\n`)).utf8).toBe(true);
    expect((await survey(Buffer.from('caf\xe9,1\n', 'latin1'))).utf8).toBe(false);
    expect((await survey(Buffer.concat([Buffer.from('a,'), Buffer.from('é').subarray(0, 1)]))).utf8).toBe(false);
  });
});
