import { searchQuery } from './search-query.js';

const history = [
  { role: 'user' as const, content: 'How long is the warranty of the Orion pump?' },
  { role: 'assistant' as const, content: '36 months [1].' },
];

describe('searchQuery', () => {
  it.each([
    'And in Norway?',
    'Does it cover seals, bearings and transport to the workshop?',
    'Who repairs them when the workshop is closed on Sundays?',
    'هل تشمل هذه المدة قطع الغيار والنقل إلى الورشة؟',
  ])('looks for both when the question leans on the one before: %s', (question) => {
    expect(searchQuery(question, history)).toBe(`${history[0]!.content}\n${question}`);
  });

  it.each(['What does the Vega valve weigh?', 'كم يبلغ وزن صمام فيغا بالكيلوغرام؟'])(
    'looks for a question that stands alone by itself: %s',
    (question) => {
      expect(searchQuery(question, history)).toBe(question);
    },
  );

  it('has nothing to lean on at first', () => {
    expect(searchQuery('And it?', [])).toBe('And it?');
  });
});
