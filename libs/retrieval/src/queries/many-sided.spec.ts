import { leansOnConversation } from './leaning.js';
import { asksForSeveral } from './many-sided.js';

describe('asksForSeveral', () => {
  it.each([
    'Compare the rent of Alder Street with that of Birch Yard.',
    'What are the dates of the fair and the fees of the hall?',
    'Is Alder Street or Birch Yard cheaper?',
    'rent alder vs birch',
    'How did revenue develop from 2022 to 2023?',
    'Wie unterscheiden sich die Gebühren in Hallbach und Seeried?',
    'Quel est le prix d’une tente et celui d’un mobil-home ?',
    '¿Cuánto pagan los estudiantes y los mayores?',
    'ما الفرق بين عقد الإيجار وعقد العمل؟',
    '比较 2022 年和 2023 年的收入和员工人数',
  ])('is asked for several things: %s', (question) => expect(asksForSeveral(question)).toBe(true));

  it.each([
    'How long is the warranty of the Orion pump?',
    'Wie lange gilt die Garantie der Pumpe?',
    'Quelle est la durée de la garantie en Norvège ?',
    'Qual é o preço do quarto no hotel?',
    'and why?',
    '',
    'a, b and c. '.repeat(200),
  ])('is asked for one thing: %s', (question) => expect(asksForSeveral(question)).toBe(false));
});

describe('leansOnConversation', () => {
  it.each(['How high is the excess?', 'Und in Mühlbach?', 'And is the deposit of the first office higher, too?'])(
    'has a model look at what may lean: %s',
    (question) => expect(leansOnConversation(question)).toBe(true),
  );

  it.each(['How many students does Estwick College admit?', 'x '.repeat(600)])(
    'asks nobody about what stands alone: %s',
    (question) => expect(leansOnConversation(question)).toBe(false),
  );
});
