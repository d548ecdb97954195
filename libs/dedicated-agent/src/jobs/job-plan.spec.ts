import { isSpent, planFrom, planJobStep } from './job-plan.js';
import type { PlannedJob } from './job-record.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-11-28T09:00:00Z');
const job = (over: Partial<PlannedJob> = {}): PlannedJob => ({
  id: 'j',
  agentId: 'a',
  name: 'Job',
  prompt: 'Do it.',
  kind: 'interval',
  intervalMinutes: 60,
  cron: null,
  runAt: null,
  timezone: 'UTC',
  display: 'every 1h',
  repeatTimes: null,
  repeatCompleted: 0,
  misfirePolicy: 'run_once',
  budget: null,
  notify: 'none',
  onExpiry: 'deny',
  madeByJob: false,
  enabled: true,
  state: 'scheduled',
  anchorAt: new Date(START - HOUR),
  nextRunAt: new Date(START),
  requestedAt: null,
  lastRunAt: null,
  lastStatus: null,
  lastError: null,
  toldError: null,
  version: 1,
  createdAt: new Date(START - HOUR),
  updatedAt: new Date(START - HOUR),
  ...over,
});

describe('the step of a job', () => {
  it('is nothing before its time, and the slot at it', () => {
    expect(planJobStep(job(), START - 1)).toBeNull();
    const step = { slot: START, source: 'due', does: 'run', late: false, missed: 0, next: START + HOUR };
    expect(planJobStep(job(), START)).toEqual(step);
    expect(planJobStep(job(), START + 2 * MINUTE)).toEqual(step);
  });

  it('makes up once for what was over, and does not drift', () => {
    const now = START + 5 * HOUR + 10 * MINUTE;
    expect(planJobStep(job(), now)).toMatchObject({ slot: START + 5 * HOUR, does: 'run', late: true, missed: 5 });
    expect(planJobStep(job(), now)!.next).toBe(START + 6 * HOUR);
  });

  it('notes what was missed where it is not to be made up for', () => {
    const skip = job({ misfirePolicy: 'skip', kind: 'cron', cron: '0 * * * *', intervalMinutes: null });
    expect(planJobStep(skip, START + 3 * HOUR + 10 * MINUTE)).toEqual({
      slot: START + 3 * HOUR,
      source: 'due',
      does: 'miss',
      late: true,
      missed: 3,
      next: START + 4 * HOUR,
    });
  });

  it('is quick after years for an expression of each minute', () => {
    const each = job({ kind: 'cron', cron: '* * * * *', intervalMinutes: null });
    const now = START + 3 * 365 * 24 * HOUR;
    expect(planJobStep(each, now)).toMatchObject({ slot: now, missed: 1000 });
  });

  it('runs at once what somebody asked for, and keeps the times', () => {
    const asked = job({ requestedAt: new Date(START - MINUTE) });
    expect(planJobStep(asked, START - MINUTE)).toMatchObject({ source: 'run', next: START });
    const once = job({ kind: 'once', runAt: new Date(START + HOUR), requestedAt: new Date(START) });
    expect(planJobStep(once, START)).toMatchObject({ source: 'run', next: null });
  });

  it('plans a moment that is over by two minutes at most, and counts repeats', () => {
    const once = job({ kind: 'once', runAt: new Date(START) });
    expect(planFrom(once, START + 2 * MINUTE)).toBe(START);
    expect(planFrom(once, START + 2 * MINUTE + 1)).toBeNull();
    expect(isSpent(job({ repeatTimes: 2, repeatCompleted: 1 }), 0)).toBe(false);
    expect(isSpent(job({ repeatTimes: 2, repeatCompleted: 1 }), 1)).toBe(true);
    expect(() => planFrom(job({ kind: 'cron', cron: '0 0 * * *', timezone: 'Nowhere/Else' }), START)).toThrow();
  });
});
