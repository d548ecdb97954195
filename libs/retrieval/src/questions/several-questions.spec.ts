import { questionsIn } from './several-questions.js';

describe('questionsIn', () => {
  it.each([
    [
      'Where is the badge fetched, and when is the fire drill?',
      'Where is the badge fetched',
      'when is the fire drill?',
    ],
    ['Wie lange gilt die Garantie und wann öffnet das Büro?', 'Wie lange gilt die Garantie', 'wann öffnet das Büro?'],
    ['Quel est le délai ? Quand ouvre le bureau ?', 'Quel est le délai ', 'Quand ouvre le bureau ?'],
    ['متى تبدأ الإجازة وكم يبلغ الراتب؟', 'متى تبدأ الإجازة', 'وكم يبلغ الراتب؟'],
  ])('parts %s', (question, ...parts) => {
    expect(questionsIn(question)).toEqual(parts);
  });

  it('leaves the lines above to each, and the part before to one that points back', () => {
    expect(questionsIn('What is the Orion pump?\nWhat does it weigh, and how long does its warranty last?')).toEqual([
      'What is the Orion pump?\nWhat does it weigh',
      'What is the Orion pump?\nWhat does it weigh\nhow long does its warranty last?',
    ]);
  });

  it.each(['When is the fire drill?', 'Who pays for travel and meals?', 'a? b? c? d?', '?', ''])(
    'takes %j for one',
    (question) => {
      expect(questionsIn(question)).toEqual([question]);
    },
  );
});
