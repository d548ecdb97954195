import { withContext } from './with-context.js';

describe('withContext', () => {
  it('counts a term of the context once, and none that the text has', () => {
    expect(withContext(['pump', 'pump', 'water'], ['pump', 'zenith', 'zenith'])).toEqual([
      'pump',
      'pump',
      'water',
      'zenith',
    ]);
  });
});
