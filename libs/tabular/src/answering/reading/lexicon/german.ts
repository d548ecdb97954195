import { ENDINGS, GERMAN_ADJECTIVES } from './german-adjectives.js';
import { aggregate, compare, edge, followed, inflected, timely, unit, type Language, type Lines } from './language.js';

const GENITIVES = 'der|des|von|vom|aller|an|unserer';

const LINES: Lines = [
  [
    aggregate('count'),
    followed('wie viele|wieviele|wie oft|wie viele male|anzahl|die anzahl|zahl|gesamtzahl|gesamtanzahl', GENITIVES),
  ],
  [
    aggregate('sum'),
    `${followed('summe|gesamtsumme', GENITIVES)}|gesamt|${inflected('gesamt', ENDINGS)}|insgesamt|total|zusammen|zusammengerechnet`,
  ],
  [
    aggregate('avg'),
    `${followed('durchschnitt|mittelwert|schnitt', GENITIVES)}|durchschnitts|durchschnittlich|${inflected('durchschnittlich|mittler', ENDINGS)}|im durchschnitt|im schnitt|im mittel`,
  ],
  [aggregate('median'), `${followed('median', GENITIVES)}|zentralwert`],
  [
    aggregate('min'),
    `${inflected('niedrigst|kleinst|geringst|tiefst|wenigst|minimal', ENDINGS)}|${followed('minimum', GENITIVES)}|minimal|mindest|minimal|am wenigsten|am niedrigsten|am kleinsten`,
  ],
  [
    aggregate('max'),
    `${inflected('höchst|größt|meist|maximal', ENDINGS)}|${followed('maximum', GENITIVES)}|maximal|höchst|spitzen|am meisten|am höchsten|am größten`,
  ],
  [timely('min'), inflected('frühest|ältest', ENDINGS)],
  [timely('max'), inflected('spätest|neuest|neust|jüngst|aktuellst', ENDINGS)],
  [edge('desc'), inflected('letzt', ENDINGS)],
  [edge('asc'), inflected('erst', ENDINGS)],
  [{ kind: 'distinct' }, inflected('verschieden|unterschiedlich|eindeutig', 'e|er|en')],
  [{ kind: 'by', total: true }, 'nach|gruppiert nach|aufgeteilt nach|aufgeschlüsselt nach|getrennt nach'],
  [{ kind: 'by' }, `pro|je|${inflected('jed|für jed|in jed|zu jed|an jed|pro jed|nach jed', 'e|er|es|en|em')}`],
  [
    { kind: 'not', empty: false },
    'nicht|außer|ausgenommen|abgesehen von|mit ausnahme von|ausgeschlossen|nicht in|nicht aus|anders als|ungleich|!=|<>',
  ],
  [{ kind: 'not', empty: true }, `ohne|${inflected('kein', '|e|er|en|em|es')}`],
  [{ kind: 'matches', way: 'contains' }, 'enthält|enthalten|enthaltend|, die enthalten|mit dem wort|enthält das wort'],
  [{ kind: 'matches', way: 'starts' }, 'beginnt mit|beginnen mit|beginnend mit|fängt an mit|anfangend mit'],
  [{ kind: 'matches', way: 'ends' }, 'endet mit|enden mit|endet auf|enden auf|endend auf'],
  [
    { kind: 'share' },
    followed(
      'anteil|der anteil|den anteil|prozentsatz|prozentanteil|welcher anteil|welchen anteil|wie viel prozent|wieviel prozent',
      GENITIVES,
    ),
  ],
  [{ kind: 'common', direction: 'desc', behind: false }, inflected('häufigst', ENDINGS)],
  [{ kind: 'common', direction: 'asc', behind: false }, inflected('seltenst', ENDINGS)],
  [{ kind: 'common', direction: 'desc', behind: false, loose: true }, inflected('beliebtest', ENDINGS)],
  [{ kind: 'common', direction: 'desc', behind: true }, 'am häufigsten|am öftesten|am häufigsten vor|am öftesten vor'],
  [{ kind: 'common', direction: 'asc', behind: true }, 'am seltensten|am seltensten vor'],
  [{ kind: 'versus', opens: false }, 'gegen|gegenüber|im vergleich zu|verglichen mit|vs|versus'],
  [{ kind: 'versus', opens: true }, 'vergleiche|vergleich|vergleich von|vergleich der|vergleiche den|vergleiche die'],
  [{ kind: 'when' }, 'wann|an welchem tag|an welchem datum'],
  [{ kind: 'ordinal', place: 2 }, inflected('zweit', ENDINGS)],
  [{ kind: 'ordinal', place: 3 }, inflected('dritt', ENDINGS)],
  [{ kind: 'ordinal', place: 4 }, inflected('viert', ENDINGS)],
  [{ kind: 'ordinal', place: 5 }, inflected('fünft', ENDINGS)],
  [unit('decade', false), 'jahrzehnt|jahrzehnte|jahrzehnten|dekade'],
  [unit('weekday', false), 'wochentag|wochentage|wochentagen'],
  [
    { kind: 'opener', rows: true },
    'wo ist|wo sind|wo liegt|wo war|was weißt du über|informationen zu|informationen über|details zu|angaben zu',
  ],
  [{ kind: 'which' }, inflected('welch', ENDINGS)],
  [
    { kind: 'list' },
    'welche sind|was sind|zeige|zeig|zeige mir|zeig mir|zeigen sie|zeigen sie mir|zeige uns|liste|liste mir|auflisten|nenne|nenn|nenne mir|nennen sie|gib mir|gib|geben sie mir',
  ],
  [{ kind: 'rows' }, 'zeilen|zeile|datensätze|datensatz|datensätzen|einträge|einträgen|eintrag'],
  [{ kind: 'top' }, 'top'],
  [
    compare('>'),
    'mehr als|größer als|höher als|über|oberhalb von|von mehr als|von über|mit mehr als|mit über|größer|übersteigt|überschreitet',
  ],
  [
    compare('<'),
    'weniger als|kleiner als|niedriger als|geringer als|unter|unterhalb von|von weniger als|von unter|kleiner',
  ],
  [compare('>='), 'mindestens|wenigstens|größer oder gleich|nicht weniger als|größer gleich'],
  [compare('<='), 'höchstens|maximal|kleiner oder gleich|nicht mehr als|kleiner gleich'],
  [compare('>', 'both'), '>'],
  [compare('<', 'both'), '<'],
  [compare('>=', 'both'), '>=|ab|ab dem|ab einem|ab einer'],
  [compare('<=', 'both'), '<=|bis|bis zu|bis zum|bis einschließlich|bis ende'],
  [compare('>', 'times'), 'nach|nach dem|später als'],
  [compare('<', 'times'), 'vor|vor dem|früher als'],
  [compare('>=', 'times'), 'seit|seit dem'],
  [{ kind: 'between' }, 'zwischen'],
  [{ kind: 'from' }, 'von|vom|aus'],
  [{ kind: 'until' }, 'bis|bis zum'],
  [
    { kind: 'verb' },
    `arbeitet|arbeiten|arbeitete|arbeiteten|wohnt|wohnen|lebt|leben|stammt|stammen|gehört|gehören|befindet sich|befinden sich|sitzt|sitzen|ist gleich|gleich|ist|sind|war|waren|hat|haben|hatte|hatten|beträgt|betragen|betrug|betrugen|liegt|liegen|lag|lagen|wurde|wurden|wird|werden|
     kostet|kosten|kostete|kosteten|entspricht|entsprechen|lautet|lauten|macht|machen|machte|machten|erzielt|erzielte|erzielten|erreichte|erreichten|
     kam|kamen|kommt|kommen|besitzt|besitzen|aufweist|weist auf|=`,
  ],
  [unit('year', false), 'jahr|jahre|jahres|jahren|kalenderjahr'],
  [unit('quarter', false), 'quartal|quartale|quartals|quartalen'],
  [unit('month', false), 'monat|monate|monats|monaten'],
  [unit('week', false), 'woche|wochen|kalenderwoche'],
  [unit('day', false), 'tag|tage|tages|tagen'],
  [unit('year', true), `jährlich|${inflected('jährlich', ENDINGS)}`],
  [unit('quarter', true), `vierteljährlich|quartalsweise|${inflected('vierteljährlich', ENDINGS)}`],
  [unit('month', true), `monatlich|monatsweise|${inflected('monatlich', ENDINGS)}`],
  [unit('week', true), `wöchentlich|wochenweise|${inflected('wöchentlich', ENDINGS)}`],
  [unit('day', true), `täglich|tageweise|${inflected('täglich', ENDINGS)}`],
  [{ kind: 'and' }, 'und|und in|und im|und für|sowie|als auch|,|;|&'],
  [{ kind: 'or' }, 'oder'],
  [
    { kind: 'further' },
    'und was ist mit|was ist mit|und wie ist es mit|wie ist es mit|wie sieht es aus|nur|jetzt|dann',
  ],
  [{ kind: 'instead' }, 'stattdessen'],
  [{ kind: 'opener', which: true, who: true }, 'wer|wer ist'],
  [{ kind: 'opener', which: true }, 'was'],
  [
    { kind: 'opener' },
    `was ist|was sind|was war|was waren|was beträgt|wie hoch|wie groß|wie viel|wieviel|wie lautet|wie lauten|sag mir|sage mir|sagen sie mir|
     berechne|berechnen sie|ermittle|ermitteln sie|bestimme|finde|kannst du|kannst du mir|können sie|können sie mir|ich möchte|ich möchte wissen|ich will wissen|
     ich brauche|ich suche`,
  ],
  [
    { kind: 'preposition' },
    'in|im|ins|an|am|auf|bei|beim|aus|für|fürs|während|innerhalb von|zu|zum|zur|im jahr|im jahre|im monat|im laufe von|namens',
  ],
  [{ kind: 'preposition', role: 'place' }, 'nach'],
  [{ kind: 'preposition', role: 'of' }, 'von|vom'],
  [{ kind: 'preposition', role: 'with' }, 'mit'],
  [
    { kind: 'preposition', role: 'relative' },
    'deren|dessen|bei denen|bei dem|bei der|in denen|wo|, deren|, dessen|, bei denen|, bei dem|, bei der|, in denen|, wo',
  ],
  [{ kind: 'preposition', role: 'subject' }, ', die|, der|, das|, welche|, welcher|, welches|die|der|das'],
  [
    { kind: 'article' },
    `der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|alle|aller|allen|alle die|sämtliche|sämtlicher|sämtlichen|
     ${inflected('unser|mein|ihr', '|e|er|en|em|es')}`,
  ],
  [{ kind: 'aside', refers: true }, 'davon|von diesen|von denen|darunter'],
  [
    { kind: 'aside' },
    `gibt es|gab es|gibt's|es gibt|es gab|existieren|sind vorhanden|vorhanden|bitte|insgesamt|wir|denn|eigentlich|gemacht|erzielt|verzeichnet|erfasst|
     angefallen|aufgetreten|gewesen|in der tabelle|in dieser tabelle|in der datei|in dieser datei|in den daten|im blatt|laut tabelle|laut der tabelle|
     der wert von|den wert von|die werte von|auf`,
  ],
];

const TENS = { zwanzig: 20, dreißig: 30, vierzig: 40, fünfzig: 50, sechzig: 60, siebzig: 70, achtzig: 80, neunzig: 90 };

export const GERMAN: Language = {
  lines: LINES,
  adjectives: GERMAN_ADJECTIVES,
  changing: `nicht kein keine keinen keinem keiner keines nie niemals ohne außer ausgenommen ausschließlich anderer andere anderen weder noch
    statt letzte letzter letztes letzten nächste nächster nächstes nächsten vorige voriger vorigen vergangene vergangenen aktuelle aktuellen falls
    fast etwa ungefähr circa ca rund prozent prozentsatz anteil quote wachstum differenz unterschied zunahme abnahme rückgang veränderung rang
    kumuliert laufend beide beiden halb doppelt fehlend leer unbekannt nichts außerhalb nur erste erster erstes ersten zweite zweiter zweites zweiten`,
  numbers: {
    zwei: 2,
    drei: 3,
    vier: 4,
    fünf: 5,
    sechs: 6,
    sieben: 7,
    acht: 8,
    neun: 9,
    zehn: 10,
    elf: 11,
    zwölf: 12,
    dreizehn: 13,
    vierzehn: 14,
    fünfzehn: 15,
    sechzehn: 16,
    siebzehn: 17,
    achtzehn: 18,
    neunzehn: 19,
    ...TENS,
    hundert: 100,
    tausend: 1000,
  },
  factors: {
    hundert: 100,
    tausend: 1e3,
    tsd: 1e3,
    million: 1e6,
    millionen: 1e6,
    mio: 1e6,
    milliarde: 1e9,
    milliarden: 1e9,
    mrd: 1e9,
  },
  units: { prozent: '%', franken: 'CHF', chf: 'CHF', pfund: 'GBP' },
  months: [
    'januar|jänner|jan',
    'februar|feb',
    'märz|mär',
    'april|apr',
    'mai',
    'juni|jun',
    'juli|jul',
    'august|aug',
    'september|sep|sept',
    'oktober|okt',
    'november|nov',
    'dezember|dez',
  ],
  ordinals: [
    'erstes|ersten|erste|erster',
    'zweites|zweiten|zweite',
    'drittes|dritten|dritte',
    'viertes|vierten|vierte',
  ],
  quarter: 'quartal|quartals',
  half: 'halbjahr|halbjahres|halbjahrs',
  year: 'jahr|jahre|jahres',
  month: 'monat|monats',
  of: 'des jahres|im jahr|des',
  truths: ['ja|wahr', 'nein|falsch'],
  compounds: {
    before: ['gesamt', 'durchschnitts', 'höchst', 'maximal', 'spitzen', 'mindest', 'minimal', 'median'],
    behind: ['summe', 'durchschnitt', 'mittelwert', 'median', 'maximum', 'minimum'],
  },
  verbsLast: true,
  respell: (word) => word.replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss'),
  stemmer: 'german',
  letters: /[äöüß]/i,
};
