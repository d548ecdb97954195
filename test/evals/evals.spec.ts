import { rounds } from '../support/long.js';
import { defects } from './defects.js';
import { Evaluation } from './harness/evaluation.js';
import { toTable, type Verdict, writeReport } from './harness/report.js';

/** With scripted answers once; a live model has to get it right each time. */
const LIVE_TRIES = 3;

describe('evaluations', () => {
  const evaluation = new Evaluation();
  const { tasks, live, model } = evaluation;
  const verdicts: Verdict[] = [];
  const find = (id: string) => tasks.find((task) => task.id === id)!;

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
    tasks.filter((task) => task.category === category).slice(0, rounds(Number.POSITIVE_INFINITY, 3)),
  );

  it.each(chosen.map((task) => [task.id, task] as const))('%s', async (_, task) => {
    const verdict: Verdict = { id: task.id, category: task.category, tries: [] };
    verdicts.push(verdict);
    for (let at = 0; at < (live ? LIVE_TRIES : 1); at += 1) verdict.tries.push(await evaluation.try(task));
    expect(verdict.tries.flatMap(({ complaints }) => complaints)).toEqual([]);
  });

  // A live model does what it does.
  const scripted = live ? describe.skip : describe;

  /** Whether the judge sees what it is there for. */
  scripted('defects that were made on purpose', () => {
    beforeAll(() => {
      model.isLenient = true;
    });
    afterAll(() => {
      model.isLenient = false;
    });

    it.each(defects.map((defect) => [defect.name, defect] as const))('are seen: %s', async (_, defect) => {
      const { step, sends, breaks } = defect;
      if (step) model.mutate = (turn, at, own) => step(own, at, at >= turn.script.length - 1);
      if (sends) evaluation.driver.sends = (_turn, body) => sends(body);
      const mend = await breaks?.(evaluation);
      try {
        const { complaints } = await evaluation.try(find(defect.task));
        expect(complaints.map(({ judge }) => judge)).toEqual(expect.arrayContaining(defect.seenBy));
      } finally {
        model.mutate = null;
        evaluation.driver.sends = (_turn, body) => body;
        await mend?.();
      }
    });

    it('are gone where nothing is broken any more', async () => {
      for (const { task } of defects.filter(({ breaks }) => breaks))
        expect((await evaluation.try(find(task))).complaints).toEqual([]);
    });
  });

  scripted('recorded answers', () => {
    it('fail where the request is another one by now', async () => {
      if (model.isRecording) return;
      const change = evaluation.tenant.changeCalendar('Monday', '10:30 Review of Kestrel, in the small room');
      const { complaints } = await evaluation.try(find('servers/calendar-monday'));
      change();
      expect(complaints.map(({ complaint }) => complaint).join()).toContain('the recorded answer is stale');
    });
  });
});
