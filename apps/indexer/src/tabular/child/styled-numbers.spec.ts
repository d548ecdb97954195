import { styleOf } from './styled-numbers.js';

describe('the style of a column', () => {
  it('tells mixed units in one order, however the database gave the texts', () => {
    const skeletons = ['€0', '$0', '0 kg'];
    for (const given of [skeletons, skeletons.toReversed(), ['$0', '0 kg', '€0']])
      expect(styleOf(given)).toEqual({ mixed: ['$', 'kg', '€'] });
  });

  it('is one where one unit stands before some numbers and after others', () => {
    expect(styleOf(['$0', '0$'])).toEqual(styleOf(['0$', '$0']));
  });
});
