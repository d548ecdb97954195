import { rounds } from '../support/long.js';
import { Evaluation } from './harness/evaluation.js';
import { toTable, type Verdict, writeReport } from './harness/report.js';

/** With scripted answers once; a live model has to get it right each time. */
const LIVE_TRIES = 3;

describe('evaluations', () => {
  const evaluation = new Evaluation();
  const { tasks, live } = evaluation;
  const verdicts: Verdict[] = [];

  beforeAll(() => evaluation.start());
  afterAll(async () => {
    await evaluation.stop();
    const file = process.env['EVAL_REPORT'];
    if (file) writeReport(file, live?.name ?? 'scripted', verdicts);
    process.stdout.write(`${toTable(verdicts)}\n`);
  });

  // `npm test` goes through some of each category, and `npm run evals` through all.
  const categories = [...new Set(tasks.map(({ category }) => category))];
  const chosen = categories.flatMap((category) =>
    tasks.filter((task) => task.category === category).slice(0, rounds(Number.POSITIVE_INFINITY, 4)),
  );

  it.each(chosen.map((task) => [task.id, task] as const))('%s', async (_, task) => {
    const verdict: Verdict = { id: task.id, category: task.category, tries: [] };
    verdicts.push(verdict);
    for (let at = 0; at < (live ? LIVE_TRIES : 1); at += 1) verdict.tries.push(await evaluation.try(task));
    expect(verdict.tries.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
});
