import { inflected, standing, type AdjectiveSort } from './language.js';

/** Of adjectives, in all cases. */
export const ENDINGS = 'e|er|es|en|em';

const sort = (names: string, most: string, more: string, least: string, less: string): AdjectiveSort => ({
  names,
  most: inflected(most, ENDINGS),
  more: `${more} als`,
  least: inflected(least, ENDINGS),
  less: `${less} als`,
});

export const GERMAN_ADJECTIVES: readonly AdjectiveSort[] = [
  standing('gehalt gehalter lohn einkommen verdienst salary wage', 'verdient|verdienen|verdiente|verdienten'),
  standing('preis einzelpreis price', 'kostet|kosten|kostete|kosteten|wie teuer'),
  standing('alter age', 'wie alt'),
  standing('gewicht weight', 'wie schwer'),
  standing('lange dauer length duration', 'wie lang|wie lange'),
  standing('temperatur temperature', 'wie warm|wie heiß|wie kalt'),
  standing('geschwindigkeit speed', 'wie schnell'),
  sort('preis preise einzelpreis kosten price cost', 'teuerst', 'teurer', 'billigst|günstigst', 'billiger'),
  sort('preis preise einzelpreis kosten price cost', 'kostspieligst', 'kostspieliger', 'preiswertest', 'günstiger'),
  ...['menge stuck stuckzahl quantity', 'umsatz erlos revenue'].map((names): AdjectiveSort => {
    const least = inflected('wenigstverkauft', ENDINGS);
    const best = ['verkauft', 'verkaufte', 'verkaufen', 'verkauften'].map((verb) => `${verb} sich am besten`);
    const most = [
      inflected('meistverkauft|bestverkauft', ENDINGS),
      ...best,
      'bestseller|bestsellers|verkaufsschlager',
    ].join('|');
    return { names, most, more: '', least, less: '', sums: true };
  }),
  sort('alter age', 'ältest', 'älter', 'jüngst', 'jünger'),
  sort('temperatur temp temperature', 'wärmst|heißest', 'wärmer', 'kältest', 'kälter'),
  sort('lange dauer laufzeit minuten length duration', 'längst', 'länger', 'kürzest', 'kürzer'),
  sort('gewicht weight', 'schwerst', 'schwerer', 'leichtest', 'leichter'),
  sort('geschwindigkeit tempo speed', 'schnellst', 'schneller', 'langsamst', 'langsamer'),
  sort('einkommen vermogen income wealth', 'reichst', 'reicher', 'ärmst', 'ärmer'),
];
