import { toldEvents } from './compacted-events.js';

const at = new Date('2026-11-28T10:00:00.500Z');

const told = (seq: number, delta: string, time: string) => ({
  seq,
  event: 'message.delta',
  data: { delta },
  at: new Date(`2026-11-28T10:00:00.${time}Z`),
});

describe('toldEvents', () => {
  it('gives back the pieces that were compacted, with their numbers and times', () => {
    const row = { seq: 12, event: 'message.delta', data: { delta: 'a🙂bcd' }, at, pieces: '1:25,2:0,0:-5' };
    expect(toldEvents(row)).toEqual([
      told(9, 'a', '480'),
      told(10, '🙂b', '505'),
      told(11, '', '505'),
      told(12, 'cd', '500'),
    ]);
  });

  it('leaves everything else as it is, whatever it says', () => {
    for (const event of [
      { seq: 3, event: 'message.delta', data: { delta: 'one piece', pieces: '1:1' }, at },
      { seq: 4, event: 'stage', data: { event_type: 'x' }, at },
    ])
      expect(toldEvents({ ...event, pieces: null })).toEqual([event]);
  });
});
