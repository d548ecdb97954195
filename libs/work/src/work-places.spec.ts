import { WorkPlaces } from './work-places.js';

const classes = { order: ['urgent', 'bulk', 'spare'], keptFor: 'urgent', share: { of: 'bulk', everyTurns: 4 } };

describe('places of a kind of work', () => {
  it('keep the last one for what somebody waits for', () => {
    const places = new WorkPlaces({ ...classes, share: undefined }, 3);
    const ends = [places.begin('bulk'), places.begin('urgent')];
    expect(places.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
    ends.push(places.begin('spare'));
    expect(places.takeTurn()).toEqual(['urgent']);
    ends[1]!();
    expect(places.takeTurn()).toEqual(['urgent']);
    ends[0]!();
    expect(places.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
  });

  it('keep none where there is but one', () => {
    const places = new WorkPlaces({ ...classes, share: undefined }, 1);
    expect(places.takeTurn()).toEqual(['urgent', 'bulk', 'spare']);
    places.begin('bulk');
    expect(places.takeTurn()).toEqual(['urgent']);
  });

  it('give its share to what would wait for ever, unless the place is kept', () => {
    const places = new WorkPlaces(classes, 2);
    const firsts = Array.from({ length: 8 }, () => places.takeTurn()[0]);
    expect(firsts).toEqual(['urgent', 'urgent', 'urgent', 'bulk', 'urgent', 'urgent', 'urgent', 'bulk']);
    places.begin('bulk');
    expect(Array.from({ length: 4 }, () => places.takeTurn().join(' '))).toEqual([
      'urgent',
      'urgent',
      'urgent',
      'urgent',
    ]);
  });
});
