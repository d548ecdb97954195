import { findDate } from './dates.js';

describe('findDate', () => {
  it.each([
    ['Version of 2024-03-31, final', '2024-03-31'],
    ['Berlin, den 31. März 2024', '31. März 2024'],
    ['For the fiscal year ended December 31, 2018', 'December 31, 2018'],
    ['Report, March 2024', 'March 2024'],
    ['El 31 de marzo de 2024 se firmó', '31 de marzo de 2024'],
    ['Fait le 1er février 2023', '1er février 2023'],
    ['التقرير السنوي 31 مارس 2024', '31 مارس 2024'],
    ['31.12.2023 to 2024', '31.12.2023'],
    ['Order 20240331 of 2024', null],
    ['1850 sold in 2023', null],
  ])('%s', (text, date) => {
    expect(findDate(text)).toBe(date);
  });
});
