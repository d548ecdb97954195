import { askedThing, saysWhat } from './definitions.js';
import { readingIn } from '../questions/reading.js';
import type { QuestionLanguage } from '../questions/asking-words.js';

describe('questions for what a thing is', () => {
  it.each([
    ['en', 'What is a conffile?', 'Conffiles are configuration files that dpkg handles.'],
    ['en', 'What are stalled jobs?', 'A stalled job is one whose lock was lost.'],
    ['en', 'What is /opt for?', '/opt is reserved for the installation of add-on software.'],
    ['en', 'What is the purpose of /srv?', '/srv contains site-specific data which is served by this system.'],
    ['en', 'What does "essential" mean?', 'Essential: the package must stay installed.'],
    ['en', 'What does SLA stand for?', 'SLA (service level agreement) refers to the promised times.'],
    ['en', 'What is a tombstone?', 'Deleted rows leave a marker, called a tombstone, behind.'],
    ['en', 'What is the purpose of /tmp?', 'The /tmp directory is for temporary files.'],
    ['de', 'Was bedeutet Karenzzeit?', 'Die Karenzzeit ist die Zeit zwischen Antrag und Leistung.'],
    ['de', 'Was ist ein Sondereigentum?', 'Sondereigentum bezeichnet die Räume einer Wohnung.'],
    ['fr', 'À quoi sert le dépôt de garantie ?', 'Le dépôt de garantie sert à couvrir les dégâts.'],
    ['es', '¿Qué es una franquicia?', 'La franquicia es la parte que paga el cliente.'],
    ['it', 'A cosa serve il badge?', 'Il badge serve ad aprire la porta.'],
    ['pt', 'O que significa carência?', 'Carência significa o prazo sem cobertura.'],
    ['nl', 'Wat betekent eigen risico?', 'Het eigen risico is het bedrag dat u zelf betaalt.'],
  ] as [QuestionLanguage, string, string][])('%s: %s', (language, question, text) => {
    const reading = readingIn(language);
    const thing = askedThing(question, reading);
    expect(thing).not.toBeNull();
    expect(saysWhat(thing!, text, reading)).toBe(true);
    expect(saysWhat(thing!, `Other matters: see ${text.slice(0, 4)} below.`, reading)).toBe(false);
  });

  it.each([
    'What is the deposit?',
    'What is the price of a ticket?',
    'What is the naming rule for module packages?',
    'What are the opening hours on Sunday?',
    'Who is the editor?',
    `What is ${'a very '.repeat(60)}long thing?`,
  ])('is none: %s', (question) => {
    expect(askedThing(question, readingIn('en'))).toBeNull();
  });

  it('does not take a mention for a definition', () => {
    const reading = readingIn('en');
    const thing = askedThing('What is a conffile?', reading)!;
    expect(saysWhat(thing, 'When two packages both declare the same conffile, they may conflict.', reading)).toBe(
      false,
    );
    expect(saysWhat(thing, 'Removing a conffile by hand is not undone.', reading)).toBe(false);
  });
});
