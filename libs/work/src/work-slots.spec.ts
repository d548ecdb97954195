import { WorkSlots } from './work-slots.js';

const classes = { order: ['urgent', 'bulk', 'spare'], keptFor: 'urgent', share: { of: 'bulk', everyTurns: 4 } };

describe('slots of a kind of work', () => {
  it('keep the last one for what somebody waits for', () => {
    const slots = new WorkSlots({ ...classes, share: undefined }, 3);
    const ends = [slots.begin('bulk'), slots.begin('urgent')];
    expect(slots.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
    ends.push(slots.begin('spare'));
    expect(slots.takeTurn()).toEqual(['urgent']);
    ends[1]!();
    expect(slots.takeTurn()).toEqual(['urgent']);
    ends[0]!();
    expect(slots.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
  });

  it('keep none where there is but one', () => {
    const slots = new WorkSlots({ ...classes, share: undefined }, 1);
    expect(slots.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
    slots.begin('bulk');
    expect(slots.takeTurn()).toEqual(['urgent']);
  });

  it('give its share to what would wait for ever, unless the slot is kept', () => {
    const slots = new WorkSlots(classes, 2);
    const firsts = Array.from({ length: 8 }, () => slots.takeTurn()[0]);
    expect(firsts).toEqual(['urgent', 'urgent', 'urgent', 'bulk', 'urgent', 'urgent', 'urgent', 'bulk']);
    slots.begin('bulk');
    expect(Array.from({ length: 4 }, () => slots.takeTurn().join(' '))).toEqual([
      'urgent',
      'urgent',
      'urgent',
      'urgent',
    ]);
  });
});
