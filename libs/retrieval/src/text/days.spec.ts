import { askedDay, isOfAnotherDay } from './days.js';

describe('days', () => {
  it.each([
    ['Why did the backup on 13 May fail?', '2026-05-13 01:00:03 ERROR backup aborted', false],
    ['Why did the backup on 14 May fail?', '2026-05-13 01:00:03 ERROR backup aborted', true],
    ['What failed on May 13, 2025?', '2026-05-13 01:00:03 ERROR backup aborted', true],
    ['Was schrieb Anna am 11.05.2026?', '[11.05.26, 14:33:12] Anna: Bis morgen!', false],
    ['Was schrieb Anna am 12. Mai?', '[11.05.26, 14:33:12] Anna: Bis morgen!', true],
    // Day or month first: both are meant where nothing tells.
    ['What did Anna write on 5 November?', '11/5/26, 14:33 - Anna: See you', false],
    ['Which page failed on 2026-05-11?', '127.0.0.1 - - [11/May/2026:01:00:02 +0000] "GET /" 500', false],
    ['¿Qué falló el 3 de mayo de 2026?', 'May 13 01:00:03 atlas kernel: no space', true],
  ])('%s %s', (question, line, isOther) => {
    expect(isOfAnotherDay(line, askedDay(question)!)).toBe(isOther);
  });

  it.each([
    'What failed before 12 May 2026?',
    'Was ist seit dem 12. Mai passiert?',
    'What happened between 11 May and 13 May?',
    'May I restart the 12 services?',
    'What failed?',
  ])('%s', (question) => {
    expect(askedDay(question)).toBeNull();
  });
});
