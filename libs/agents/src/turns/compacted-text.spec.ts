import { publishedEvents } from './compacted-text.js';

describe('publishedEvents', () => {
  it('gives back the pieces that were compacted, with their numbers and places', () => {
    const data = { offset: 7, text: 'a🙂bcd', lengths: '1,2,1' };
    expect(publishedEvents({ seq: 12, type: 'delta', data })).toEqual([
      { seq: 9, type: 'delta', data: { offset: 7, text: 'a' } },
      { seq: 10, type: 'delta', data: { offset: 8, text: '🙂' } },
      { seq: 11, type: 'delta', data: { offset: 10, text: 'b' } },
      { seq: 12, type: 'delta', data: { offset: 11, text: 'cd' } },
    ]);
  });

  it('leaves everything else as it is', () => {
    for (const event of [
      { seq: 3, type: 'delta', data: { offset: 0, text: 'one piece' } },
      { seq: 4, type: 'stage', data: { event_type: 'x', event: null } },
    ])
      expect(publishedEvents(event)).toEqual([event]);
  });
});
