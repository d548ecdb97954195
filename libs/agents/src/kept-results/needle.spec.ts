import { estimateTokens } from '@app/models';
import { stride } from '../../../../test/support/long.js';
import { MemoryResults } from './memory-results.js';
import { handleIn, keepAsCard } from './result-card.js';
import { readResult } from './read-result.js';

const SIZE = 1_000_000;
const PLACES = 50;
const SHOWN = 20_000;
const READ = 6_000;

const CITIES = ['Halden', 'Moss', 'Larvik', 'Arendal', 'Skien', 'Bergen', 'Tromso', 'Bodo', 'Narvik', 'Alta'];
const GOODS = ['timber', 'herring', 'copper', 'paper', 'cement', 'wool', 'tar', 'salt', 'glass', 'resin'];
const VERBS = ['shipped', 'stored', 'weighed', 'returned', 'inspected', 'insured', 'sold', 'counted'];

interface Row {
  id: number;
  city: string;
  goods: string;
  note: string;
}

/** Like the needle in all but what is asked for. */
function row(id: number): Row {
  const [city, goods, verb] = [CITIES[id % 10]!, GOODS[(id * 7) % 10]!, VERBS[(id * 3) % 8]!];
  const place = ['warehouse', 'ferry', 'settlement'][id % 3];
  return { id, city, goods, note: `${goods} was ${verb} at the ${place} in ${city}, code ${(id * 7919) % 100_000}` };
}

function needle(id: number, code: string): Row {
  return { id, city: 'Larvik', goods: 'resin', note: `the settlement code of the ferry to Hirtshals is ${code}` };
}

type Form = [string, (rows: readonly Row[]) => string];
const forms: Form[] = [
  ['text', (rows) => rows.map(({ id, note }) => `${id}. ${note[0]!.toUpperCase()}${note.slice(1)}.`).join('\n')],
  ['text without lines', (rows) => rows.map(({ note }) => `${note}.`).join(' ')],
  ['a JSON array of objects', (rows) => JSON.stringify(rows)],
  ['JSON with rows below', (rows) => JSON.stringify({ count: rows.length, data: { items: rows }, next: null })],
  ['text within JSON', (rows) => JSON.stringify({ name: 'a.txt', text: rows.map(({ note }) => note).join('\n') })],
  [
    'CSV',
    (rows) =>
      ['id,city,goods,note', ...rows.map((one) => `${one.id},${one.city},${one.goods},"${one.note}"`)].join('\n'),
  ],
];

/** A needle at the same share of the whole in each form. */
function haystack(render: (rows: readonly Row[]) => string, place: number, code: string): string {
  const each = render([row(1), row(2)]).length - render([row(1)]).length;
  const count = Math.ceil(SIZE / Math.max(40, each));
  const rows = Array.from({ length: count }, (_, index) => row(index));
  rows[Math.min(count - 1, Math.floor((place / (PLACES - 1)) * count))] = needle(place, code);
  return render(rows);
}

/** Reads the card, searches with the words of the question, and looks further only where the answer was not there. */
async function seek(text: string, question: string, code: string): Promise<{ calls: number; tokens: number } | null> {
  const store = new MemoryResults('work');
  const card = (await keepAsCard({ place: '1.1', tool: 'export', text, isError: false }, store, SHOWN))!;
  let tokens = estimateTokens(card);
  if (card.includes(code)) return { calls: 0, tokens };
  const kept = (await store.find(handleIn(card)!))!;
  for (const [index, offset] of [0, 5, 10].entries()) {
    const read = await readResult(kept.text, { search: question, offset }, READ);
    tokens += estimateTokens(read);
    if (read.includes(code)) return { calls: index + 1, tokens };
  }
  return null;
}

describe('a needle in a result of 1 MB', () => {
  it.each(forms)('%s: found within 3 calls and 8,000 tokens, wherever it stands', async (_, render) => {
    const question = 'What is the settlement code for the ferry to Hirtshals?';
    const seen: { calls: number; tokens: number }[] = [];
    for (let place = 1; place < PLACES; place += stride(24, 45)) {
      const code = `QX-${7_000 + place}`;
      const found = await seek(haystack(render, place, code), question, code);
      expect({ place, found: found !== null }).toEqual({ place, found: true });
      seen.push(found!);
    }
    expect(Math.max(...seen.map(({ calls }) => calls))).toBeLessThanOrEqual(3);
    expect(Math.max(...seen.map(({ tokens }) => tokens))).toBeLessThanOrEqual(8_000);
  });
});
