import { delimiterScore, detectDelimiter, sampleRecords } from './delimiter.js';

describe('the delimiter of a CSV', () => {
  it.each([
    [',', 'a,b\n1,2\n'],
    [';', 'name;price\nApple, red;1,5\nPear, green;2,5\n'],
    ['\t', 'a\tb c\n1\t"x,y,z"\n'],
    ['|', 'a|b|c\n1|2|3\n'],
    [',', 'A title without any\na,b,c\n1,2,3\n4,5,6\n'],
    [',', 'only one column\nvalue\n'],
  ])('is %j', (delimiter, text) => {
    expect(detectDelimiter(text, false)).toBe(delimiter);
  });

  it('is not looked for within quotation marks', () => {
    expect(sampleRecords('a,"b ""c"", d\ne",f\r\n\r\ng,h', ',', false)).toEqual([
      ['a', 'b "c", d\ne', 'f'],
      ['g', 'h'],
    ]);
    expect(delimiterScore('"a;b"\n"c;d"\n', ';', false)).toBe(0);
  });

  it('is not judged by a record that the sample cuts off', () => {
    expect(sampleRecords('a,b\nc', ',', true)).toEqual([['a', 'b']]);
  });
});
