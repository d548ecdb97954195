import { join } from 'node:path';
import { AskedCorpus, readCorpora } from '../support/table-corpus.js';
import { stride } from '../support/long.js';

/** Every how many questions one is asked here; `npm run bench -- answers tables` asks them all. */
const EVERY = stride(8, 16);

describe('questions to tables, answered by rules', () => {
  it('have no wrong number, and most have an answer', async () => {
    const corpora = await readCorpora(join(__dirname, '..', 'bench', 'corpora', 'tables'));
    const outcomes = [];
    for (const corpus of corpora) {
      const asked = await AskedCorpus.open(corpus);
      for (const question of corpus.questions.filter((_, at) => at % EVERY === 0))
        outcomes.push(await asked.judge(question));
      await asked.close();
    }
    expect(corpora.length).toBeGreaterThanOrEqual(19);
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toEqual([]);
    expect(outcomes.filter(({ outcome }) => outcome === 'right').length / outcomes.length).toBeGreaterThan(0.6);
  });
});
