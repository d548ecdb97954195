import { quoteSentences } from './quote-sentences.js';
import { sentencesOf } from './sentences.js';

const PASSAGES = [
  'Vacation policy\n\nEmployees have 25 days of paid vacation a year. Requests go to the team lead. Unused days expire in March.',
  'The cafeteria opens at eight. It serves breakfast, and lunch for employees.',
];

describe('quoteSentences', () => {
  it('finds the sentence that answers', () => {
    expect(quoteSentences('How many vacation days do employees have?', PASSAGES)[0]).toEqual({
      passage: 0,
      text: 'Employees have 25 days of paid vacation a year.',
    });
    expect(quoteSentences('When does the cafeteria open?', PASSAGES)[0]!.text).toBe('The cafeteria opens at eight.');
  });

  it('adds the sentence that has what the first one lacks', () => {
    const passage =
      'A hotel may cost up to 140 euros a night, breakfast included. In Zurich, London and Oslo the limit is 190 euros. Films in hotels are not paid.';
    expect(quoteSentences('How much may a hotel in Zurich cost?', [passage]).map(({ text }) => text)).toEqual([
      'A hotel may cost up to 140 euros a night, breakfast included.',
      'In Zurich, London and Oslo the limit is 190 euros.',
    ]);
  });

  it('knows under which headings a sentence stands', () => {
    const manual =
      'The Root Filesystem\n\n3.13. /opt : Add-on application software\n\n3.13.1. Purpose\n\n/opt is reserved for add-on application software packages.\n\n' +
      '3.15. /run : Run-time variable data\n\n3.15.1. Purpose\n\nThis directory holds system information since it was booted. The purposes of this directory were once served by /var/run.';
    expect(quoteSentences('What is the purpose of /opt?', [manual])[0]!.text).toBe(
      '/opt is reserved for add-on application software packages.',
    );
  });

  it('is silent when the passages have too little of the question', () => {
    expect(quoteSentences('Which employees speak Portuguese and Finnish fluently?', PASSAGES)).toEqual([]);
    expect(quoteSentences('What?', PASSAGES)).toEqual([]);
    expect(quoteSentences('anything', [])).toEqual([]);
  });

  it('says a sentence of overlapping passages once', () => {
    const quotes = quoteSentences('When does the cafeteria open?', [PASSAGES[1]!, PASSAGES[1]!]);
    expect(quotes.map(({ text }) => text)).toEqual([...new Set(quotes.map(({ text }) => text))]);
  });

  it('answers in Arabic', () => {
    const passage = 'تبدأ الإجازة السنوية في يوليو. يتقاضى الموظفون رواتبهم في نهاية الشهر.';
    expect(quoteSentences('متى تبدأ الإجازات السنوية؟', [passage])[0]!.text).toBe('تبدأ الإجازة السنوية في يوليو.');
  });
});

describe('sentencesOf', () => {
  it('joins short lines that break in the middle of a sentence', () => {
    expect(sentencesOf('The fire drill takes place on\nThursday, 12 March,\nAt 11:15.')).toEqual([
      'The fire drill takes place on Thursday, 12 March, At 11:15.',
    ]);
  });

  it('joins printed lines and keeps headings, rows and items apart', () => {
    const text =
      'Summary of results\n\nThe measurements were taken over a period\nof three years. They agree.\n| a | b |\n| 1 | 2 |\n- first item\n- second item';
    expect(sentencesOf(text)).toEqual([
      'Summary of results',
      'The measurements were taken over a period of three years.',
      'They agree.',
      '| a | b |',
      '| 1 | 2 |',
      '- first item',
      '- second item',
    ]);
  });
});
