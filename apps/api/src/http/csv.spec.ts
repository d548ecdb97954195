import { csvLine } from './csv.js';

describe('a line of CSV', () => {
  it('quotes what needs it, and holds no formulas', () => {
    expect(csvLine(['plain', 'a,b', 'say "hi"', 'two\nlines', null, 1.5, -2, ''])).toBe(
      'plain,"a,b","say ""hi""","two\nlines",,1.5,-2,\r\n',
    );
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\uff1d1', '=HYPERLINK("x","y")'])
      expect(csvLine([text])).toMatch(/^(?:"?)'/);
  });
});
