import { questionWords } from '../analysis/question-words.js';
import type { LanguageCode } from '../analysis/language.js';
import { lookCloser } from './closer-look.js';

const row = (id: string, text: string, context = '', score = 2) => {
  return { id, score, best: 6, found: [], looked: 2, text, context };
};

function order(question: string, rows: ReturnType<typeof row>[], languages: readonly LanguageCode[] = ['en']) {
  const words = questionWords(question, languages);
  const hits = lookCloser(
    rows,
    words,
    words.map(() => 3),
    { languages, meanLength: 8 },
  );
  for (const { share } of hits) expect(share).toBeGreaterThanOrEqual(2 / 6 - 1e-9);
  for (const { share } of hits) expect(share).toBeLessThan(1);
  return hits.map(({ chunkId }) => chunkId);
}

describe('a closer look', () => {
  it('prefers words that stand together', () => {
    const apart = 'The boundary was drawn, as all agreed later that same year, around every layer';
    expect(order('boundary layer', [row('1', apart), row('2', 'The boundary-layer was drawn around all')])).toEqual([
      '2',
      '1',
    ]);
  });

  it('prefers what the title is about', () => {
    const rows = [row('1', 'Pumps of boats', 'Boats'), row('2', 'Pumps of boats', 'Pumps for boats')];
    expect(order('pumps of a boat', rows)).toEqual(['2', '1']);
  });

  it('knows words in the languages of the documents', () => {
    const rows = [row('1', 'nichts'), row('2', 'Übungen für Mäuse'), row('3', 'Muller')];
    expect(order('Mäuse Übung', rows, ['de'])[0]).toBe('2');
  });

  it('leaves equal ones as they were, and nothing where nothing was found', () => {
    expect(order('pump', [row('2', 'x'), row('1', 'x')])).toEqual(['2', '1']);
    expect(order('pump', [{ ...row('', ''), id: null } as never])).toEqual([]);
  });
});
