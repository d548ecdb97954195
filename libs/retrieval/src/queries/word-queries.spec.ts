import type { ModelMessage } from '@app/integrations';
import { wordQueries } from './word-queries.js';

const talk = (...questions: string[]): ModelMessage[] =>
  questions.flatMap((content): ModelMessage[] => [
    { role: 'user', content },
    { role: 'assistant', content: '36 months [1].' },
  ]);
const WARRANTY = 'How long is the warranty of the Orion pump?';

describe('wordQueries', () => {
  it.each([
    'And in Norway?',
    'Does it cover seals, bearings and transport to the workshop?',
    'Who repairs them when the workshop is closed on Sundays?',
    'هل تشمل هذه المدة قطع الغيار والنقل إلى الورشة؟',
    'Was passiert, wenn ich ihn im Urlaub verliere?',
    'Kann man die Frist dafür in Norwegen verlängern lassen?',
    'Est-ce que celle-ci couvre aussi les joints et le transport ?',
    '¿Y esa cubre también las juntas y el transporte al taller?',
    'why?',
  ])('looks for both when the question leans on the one before: %s', (question) => {
    expect(wordQueries(question, talk(WARRANTY))).toEqual([`${WARRANTY}\n${question}`]);
  });

  it.each([
    'What does the Vega valve weigh?',
    'كم يبلغ وزن صمام فيغا بالكيلوغرام؟',
    'Wie viel kostet der Jahresausweis der Bibliothek?',
    'Welche Frist gilt für Sie bei der Kündigung des Vertrags?',
    'Is there a discount for students at Estwick College?',
    'Quel est le prix du mobil-home en haute saison ?',
    'How do travelling employees hand in their receipts?',
    'If an employee falls ill, whom do they tell in the morning?',
    'Wann muss die letzte Rechnung bezahlt sein?',
    'Which deadlines does this report name for the audit of pumps?',
  ])('looks for a question that stands alone by itself: %s', (question) => {
    expect(wordQueries(question, talk(WARRANTY))).toEqual([question]);
  });

  it('reaches back to the question that names the topic, beside the nearest one', () => {
    expect(wordQueries('And how heavy is it?', talk('Where is Estwick?', WARRANTY, 'And in Norway?', 'why?'))).toEqual([
      'why?\nAnd how heavy is it?',
      `${WARRANTY}\nwhy?\nAnd how heavy is it?`,
    ]);
  });

  it('takes the first question where none names a topic', () => {
    expect(wordQueries('why?', talk('the price?', 'and then?')).at(-1)).toBe('the price?\nand then?\nwhy?');
  });

  it('has nothing to lean on at first, nor in a pasted page', () => {
    expect(wordQueries('And it?', [])).toEqual(['And it?']);
    const page = `${'It is so. '.repeat(200)}Why?`;
    expect(wordQueries(page, talk(WARRANTY))).toEqual([page]);
    expect(wordQueries('And it?', talk(page))[0].length).toBeLessThan(600);
  });
});
