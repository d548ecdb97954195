import { ONE_LINE, toOneLine } from './one-line.js';

it.each([
  ['Plan\r\n\r\nfor 2027', 'Plan for 2027'],
  ['a\tb\u2028c\u0085d', 'a b c d'],
  ['invoice\u202efdp.exe\u200f', 'invoicefdp.exe'],
  ['\u202e\n', ''],
  ['Cafe\u0301\n', 'Caf\u00e9'],
])('makes one line of %j', (text, expected) => {
  expect(text).not.toMatch(ONE_LINE.pattern);
  expect(toOneLine(text)).toBe(expected);
});

it.each(['Le\u200cla', 'عبد الله', '👩\u200d🚀 x  y', ''])('leaves %j as it is', (text) => {
  expect(text).toMatch(ONE_LINE.pattern);
  expect(toOneLine(text)).toBe(text);
});
