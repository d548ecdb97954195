import { expectedKind } from './answer-kinds.js';
import { gatherEvidence } from './evidence.js';
import { FEATURES } from './features.js';
import { showsKind } from './shown-kinds.js';

function evidence(question: string, text: string, feature: (typeof FEATURES)[number]): number {
  const { candidates } = gatherEvidence(question, [{ text, about: '', document: 'a' }]);
  return candidates[0]!.features[FEATURES.indexOf(feature)]!;
}

describe('what is asked for', () => {
  it.each([
    ['How long is the bridge in metres?', 'size'],
    ['Wie lang ist die Brücke in Metern?', 'size'],
    ['How long does the work take?', 'duration'],
    ['How much interest does it bear in percent?', 'share'],
    ['Which company makes the vaccine?', 'firm'],
    ['Welche Firma baut das Dach?', 'firm'],
    ['Who makes the vaccine?', 'person'],
    ['How often is the filter cleaned?', 'frequency'],
    ['Wie oft wird gereinigt?', 'frequency'],
    ['Hoe vaak wordt de bak geleegd?', 'frequency'],
    ['Quanto costa la tessera?', 'money'],
    ['cuanto cuesta la entrada', 'money'],
    ['Quando abre a piscina?', 'date'],
    ['Wie is de directeur?', 'person'],
    ['How heavy is the pump?', 'mass'],
    ['What voltage does the pump take?', 'voltage'],
    ['How high is the damage?', 'number'],
    ['What is the e-mail address of the clerk?', 'mail'],
    ['Which colour is the chair?', 'colour'],
    ['May I set the temperature myself?', null],
    ['Can I send the form by e-mail?', null],
    ['Puis-je envoyer le formulaire par courriel ?', null],
  ])('%s', (question, kind) => {
    expect(expectedKind(question)).toBe(kind);
  });

  it('takes a person for no firm', () => {
    expect(showsKind('firm', 'The nurse, Ms. Amara Diallo, will vaccinate.')).toBeLessThan(1);
    expect(showsKind('firm', 'The contract went to Harlan Roofing Ltd.')).toBe(1);
  });
});

describe('what shows it', () => {
  it.each([
    ['mail', 'Write to a@b.example.', 'Call 0221 555 017.'],
    ['phone', 'Call 0221 555 017.', 'Write to a@b.example.'],
    ['mass', 'Weight: 13.5 kg', 'Tank: 3.6 litres'],
    ['noise', 'Noise: 42 dB(A)', 'every week: check for leaks and noise'],
    ['colour', 'The tunics are navy blue.', 'Office chair; Price EUR: 184.50'],
    ['frequency', 'La bak wordt om de drie weken geleegd.', 'Het weegt 3 kilo.'],
    ['date', 'A piscina abre em 1 de junho.', 'A piscina é azul.'],
    ['duration', 'Il prestito dura tre settimane.', 'Il prestito è gratuito.'],
  ] as const)('%s', (kind, shows, doesNot) => {
    expect(showsKind(kind, shows)).toBe(1);
    expect(showsKind(kind, doesNot)).toBe(0);
  });
});

describe('gatherEvidence', () => {
  it('takes a name of the question for none of its answer', () => {
    const question = 'Who signed the paper for Farrow Medical?';
    expect(evidence(question, 'It binds Farrow Medical for years.', 'kind')).toBeLessThan(1);
    expect(evidence(question, 'It was signed for Farrow Medical by Petra Ekberg.', 'kind')).toBe(1);
  });

  it('sees that a row has other columns than the one that is asked for', () => {
    const row = 'Article: Office chair; Number: OC-5520; Price EUR: 184.50; Stock: 27';
    expect(evidence('What is the price of the office chair?', row, 'inList')).toBe(0);
    expect(evidence('What colour is the office chair?', row, 'inList')).toBeGreaterThan(0.3);
  });

  it('sees that what is to be counted is not there', () => {
    const list = 'Plum cake: 500 g of flour, 42 g of yeast and 1.5 kg of plums.';
    expect(evidence('How many eggs are in the plum cake?', list, 'uncounted')).toBe(1);
    expect(evidence('How many plums are in the plum cake?', list, 'uncounted')).toBe(0);
  });

  it('sees what no passage at hand has', () => {
    const text = 'The pump weighs 3 kg and is painted blue.';
    expect(evidence('What voltage does the pump take?', text, 'absent')).toBeGreaterThan(0.3);
    expect(evidence('How is the pump painted?', text, 'absent')).toBe(0);
  });
});
