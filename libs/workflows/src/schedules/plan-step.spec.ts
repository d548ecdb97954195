import { planStep } from './plan-step.js';
import type { ScheduleRecord } from './schedule-record.js';
import { dueTime, nextSlot, type Timing } from './timing.js';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(`2026-06-01T${text}Z`);

function schedule(fields: Partial<ScheduleRecord>): ScheduleRecord {
  return {
    id: 's',
    workflowId: 'w',
    name: 'S',
    kind: 'cron',
    cron: '*/10 * * * *',
    intervalMinutes: null,
    runAt: null,
    timezone: 'UTC',
    startAt: null,
    endAt: null,
    anchorAt: new Date(at('00:00')),
    payload: {},
    enabled: true,
    state: 'active',
    overlapPolicy: 'skip',
    catchupWindowSeconds: 3600,
    jitterSeconds: 0,
    nextRunAt: new Date(at('12:00')),
    lastRunAt: null,
    lastRunVersion: null,
    lastStatus: null,
    lastError: '',
    missedCount: 0,
    failureStreak: 0,
    pauseAfterFailures: null,
    createdBy: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    version: 3,
    ...fields,
  };
}

describe('the next step of a schedule', () => {
  it('fires what is due and plans the next slot', () => {
    expect(planStep(schedule({}), at('12:00'))).toMatchObject({
      slot: at('12:00'),
      advance: { version: 3, expected: at('12:00'), next: at('12:10'), due: at('12:10'), missed: 0, state: 'active' },
    });
    expect(planStep(schedule({}), at('11:59'))).toBeNull();
    expect(planStep(schedule({ nextRunAt: null }), at('12:00'))).toBeNull();
  });

  it('catches up on the slots inside the window, one a step, and counts the others', () => {
    const step = planStep(schedule({}), at('14:05'))!;
    // 12:00 to 13:00 lie more than an hour back.
    expect(step).toMatchObject({ slot: at('13:10'), advance: { missed: 7, next: at('13:20') } });
    expect(planStep(schedule({ nextRunAt: new Date(at('13:20')) }), at('14:05'))).toMatchObject({
      slot: at('13:20'),
      advance: { missed: 0, next: at('13:30') },
    });
  });

  it('passes over slots to one in the future when all are too old', () => {
    expect(planStep(schedule({ catchupWindowSeconds: 30 }), at('12:35'))).toMatchObject({
      slot: null,
      advance: { missed: 4, next: at('12:40'), due: at('12:40'), state: 'active' },
    });
  });

  it('does not call a slot missed that is a few seconds late, however short the window', () => {
    expect(planStep(schedule({ catchupWindowSeconds: 0 }), at('12:00') + 9_000)).toMatchObject({ slot: at('12:00') });
    expect(planStep(schedule({ catchupWindowSeconds: 0 }), at('12:00') + 11_000)).toMatchObject({ slot: null });
  });

  it('counts years of missed slots in steps that each are short', () => {
    let due = schedule({
      cron: '* * * * *',
      nextRunAt: new Date(at('12:00') - 3000 * MINUTE),
      catchupWindowSeconds: 60,
    });
    let [missed, steps] = [0, 0];
    for (let step = planStep(due, at('12:00')); step; step = planStep(due, at('12:00'))) {
      missed += step.advance!.missed;
      steps += 1;
      due = schedule({ ...due, nextRunAt: new Date(step.advance!.next!) });
      if (step.slot !== null) break;
    }
    expect({ missed, steps }).toEqual({ missed: 2999, steps: 3 });
  });

  it('ends with its last slot', () => {
    const once = { kind: 'once', cron: null, runAt: new Date(at('12:00')) } as const;
    expect(planStep(schedule(once), at('12:00'))).toMatchObject({
      slot: at('12:00'),
      advance: { next: null, due: null, state: 'completed' },
    });
    expect(planStep(schedule(once), at('15:00'))).toMatchObject({
      slot: null,
      advance: { next: null, missed: 1, state: 'completed' },
    });
    expect(planStep(schedule({ endAt: new Date(at('12:00')) }), at('12:00'))).toMatchObject({
      slot: at('12:00'),
      advance: { next: null, state: 'completed' },
    });
  });

  it('says when the next time cannot be computed', () => {
    expect(planStep(schedule({ cron: 'nonsense' }), at('12:00'))).toMatchObject({
      slot: null,
      advance: { next: null, state: 'error', error: expect.stringContaining('cannot be read') as string },
    });
    expect(planStep(schedule({ timezone: 'Mars/Base' }), at('12:00'))!.advance!.state).toBe('error');
  });
});

const timing = (fields: Partial<Timing>): Timing => schedule(fields);

/** How much later than its slot it is due. */
const delayOf = (slot: number) => dueTime('s', slot, 300, slot + MINUTE) - slot;

describe('times', () => {
  it('counts intervals from their anchor, without drift', () => {
    const every7 = timing({ kind: 'interval', intervalMinutes: 7, anchorAt: new Date(at('00:00') + 123) });
    let slot = at('00:00') + 123;
    for (let count = 0; count < 1000; count += 1) slot = nextSlot(every7, slot + 6 * MINUTE)!;
    expect(slot).toBe(at('00:00') + 123 + 7000 * MINUTE);
    expect(nextSlot(every7, slot - 1)).toBe(slot);
    expect(nextSlot(every7, slot)).toBe(slot + 7 * MINUTE);
  });

  it('begins with start_at and ends with end_at, both included', () => {
    const [startAt, endAt] = [new Date(at('12:00')), new Date(at('12:20'))];
    const interval = timing({ kind: 'interval', intervalMinutes: 10, startAt, endAt, anchorAt: startAt });
    const cron = timing({ startAt, endAt });
    for (const one of [interval, cron]) {
      expect(nextSlot(one, at('01:00'))).toBe(at('12:00'));
      expect(nextSlot(one, at('12:10'))).toBe(at('12:20'));
      expect(nextSlot(one, at('12:20'))).toBeNull();
    }
  });

  it('spreads slots by the same jitter every time, and never past the next slot', () => {
    const delays = Array.from({ length: 500 }, (_, index) => delayOf(at('12:00') + index * MINUTE));
    expect(Math.min(...delays)).toBeLessThan(2_000);
    expect(Math.max(...delays)).toBeGreaterThan(58_000);
    expect(Math.max(...delays)).toBeLessThan(MINUTE);
    expect(delayOf(at('12:00'))).toBe(delayOf(at('12:00')));
    expect(dueTime('s', 5, 0, 10)).toBe(5);
  });
});
