import type { LanguageCode } from './lexicon/languages.js';

/** What a sentence asks, whose sides and measure are filled in. */
export interface PatternOf {
  asks: '>' | '<' | null;
  /** "From A to B": the second side is what is compared with the first. */
  turned: boolean;
  unordered: boolean;
  /** What is counted has "how many" before it; `mayCount`: where it is nothing that is summed. */
  counts: boolean;
  mayCount: boolean;
}

/** The sentences of one language that ask for two figures and what lies between them. */
export interface Grammar {
  /** Before a side that has no preposition of its own. */
  leading: string;
  counting: string;
  /** Stands for a measure that was named before: "than that in Bergen". */
  standing: string;
  /**
   * Words apart by spaces, `_` within a phrase, `|` between those that are as good, `?` behind what may be missing. `<m>` is
   * the measure, `<a>` and `<b>` the sides (`place:` begins with a preposition, `owner:` ends with `'s`), `<c>` what is said
   * of both, `<x>` the measure with the first side behind it. Without a measure each side names its own.
   */
  lines: [pattern: string, of?: Partial<PatternOf>][];
}

const BETTER = 'higher|greater|larger|bigger|more';
const WORSE = 'lower|smaller|less';
const MAKE =
  'make|made|have|had|earn|earned|get|got|generate|generated|record|recorded|report|reported|achieve|achieved|sell|sold|place|placed|bring_in|take_in|see';
const AUX = 'did|does|do|has|have|had|is|was|are|were';
const OPEN =
  "what_is|what_was|what_are|what_were|what's|what|tell_me|show_me|show|give_me|calculate|compute|find|get|please";
const RISE = 'grow|grown|increase|increased|rise|risen|go_up|gone_up|improve|improved|climb|climbed';
const FALL = 'fall|fallen|drop|dropped|decrease|decreased|decline|declined|go_down|gone_down|shrink|shrunk';
const CHANGE = 'change|growth|increase|decrease|decline|drop|rise|fall|development|growth_rate|rate_of_growth|gain';
const PERCENT = 'percentage|percent|%|relative|absolute|net|overall';
const HOW_FAR =
  'by_how_much|how_much|by_how_many_percent|how_many_percent|by_what_percent|by_what_percentage|what_percent|what_percentage|by_what_%|by_how_many_%';
const COMPARED = 'compared_to|compared_with|in_comparison_to|relative_to|against|versus|vs|over|than';
const IN_PERCENT = 'in_percent|in_%|as_a_percentage|in_percentage|in_per_cent';

/** Yes or no. "More orders" are counted where they are nothing that is summed. */
function asking(better: string, more: string, asks: '>' | '<'): Grammar['lines'] {
  return [
    [`${AUX} the? <m> <place:a> ${better} than <b>`, { asks }],
    [`${AUX} the? <m> ${better} <place:a> than <b>`, { asks }],
    [`${AUX} <owner:a> <m> ${better} than <b>`, { asks }],
    [`${AUX} the? <a> ${better} than <b>`, { asks }],
    [`did|does|do|has|have|had <a> ${MAKE}? ${more} <m> than <b>`, { asks, mayCount: true }],
    [`did|does|do|has|have|had <c> ${MAKE}? ${more} <m> <place:a> than <b>`, { asks, mayCount: true }],
    [`did|do|have|had we|they ${MAKE} ${more} <m> <place:a> than <b>`, { asks, mayCount: true }],
    [`did|do|have|had we|they ${MAKE} ${more} <a> than <b>`, { asks, mayCount: true }],
    [`is|are|was|were there ${more} <m> <place:a> than <b>`, { asks, mayCount: true }],
    [`is|are|was|were there ${more} <a> than <b>`, { asks, mayCount: true }],
  ];
}

const ENGLISH: Grammar = {
  leading: 'for',
  counting: 'how many',
  standing: 'that|those|the',
  lines: [
    [`how_much more|less <m> did|does|do|has|have|had <a> ${MAKE}? than <b>`],
    [`how_many more|fewer|less <m> did|does|do|has|have|had <a> ${MAKE}? than <b>`, { counts: true }],
    [`how_much more|less <m> ${AUX}? there|made|earned|generated|recorded? <place:a> than <b>`],
    [`how_many more|fewer|less <m> ${AUX}? there|made|sold|placed|recorded? <place:a> than <b>`, { counts: true }],
    ['how_many more|fewer|less <a> are_there|were_there? than <b> are_there|were_there?', { counts: true }],
    [`how_much more|less <m> did|do|have|had we|they ${MAKE} <place:a> than <b>`],
    [`how_many more|fewer|less <m> did|do|have|had we|they ${MAKE} <place:a> than <b>`, { counts: true }],
    [`by? how_much ${BETTER}|${WORSE} ${AUX} the? <m> <place:a> ${COMPARED} <b>`],
    [`by? how_much ${BETTER}|${WORSE} ${AUX} <owner:a> <m> ${COMPARED} <b>`],
    [`${OPEN}? the? ${PERCENT}? difference between the? <x> and the? <b> ${IN_PERCENT}?`, { unordered: true }],
    [`${OPEN}? the? ${PERCENT}? difference between the? <a> and the? <b> ${IN_PERCENT}?`, { unordered: true }],
    [`${OPEN}? the? ${PERCENT}? difference in|of the? <m> between <a> and <b> ${IN_PERCENT}?`, { unordered: true }],
    [`${OPEN}? the? <m> difference between <a> and <b> ${IN_PERCENT}?`, { unordered: true }],
    [`${OPEN}? the? ${PERCENT}? difference between <a> and <b> in|in_terms_of the? <m>`, { unordered: true }],
    [
      `${HOW_FAR} did|has|have|do|does|is|are the? <m> ${RISE}|${FALL}|change|changed from|between <a> to|and <b>`,
      { turned: true },
    ],
    [`${HOW_FAR} did|has|have|do|does the? <m> ${RISE}|${FALL}|change|changed <place:a> ${COMPARED} <b>`],
    [
      `${OPEN}? the|a? ${PERCENT}? ${CHANGE} in|of the? <m> from|between <a> to|and <b> ${IN_PERCENT}?`,
      { turned: true },
    ],
    [`${OPEN}? the? <m> ${CHANGE} from|between <a> to|and <b> ${IN_PERCENT}?`, { turned: true }],
    [`${OPEN}? the? <x> vs|versus|compared_to|compared_with|against <b>`],
    ['compare the? <x> and|with|to|vs|versus <b>'],
    ...asking(BETTER, 'more', '>'),
    ...asking(WORSE, 'less|fewer', '<'),
    [`did|has|have the? <m> ${RISE} from|between <a> to|and <b>`, { asks: '>', turned: true }],
    [`did|has|have the? <m> ${FALL} from|between <a> to|and <b>`, { asks: '<', turned: true }],
  ],
};

const DE_OPEN =
  'was_ist|was_war|wie_hoch_ist|wie_hoch_war|wie_groß_ist|wie_groß_war|zeige|zeige_mir|zeig_mir|berechne|nenne|nenne_mir';
const DE_THE = 'der|die|das|dem|den';
const DE_HAS = 'hat|hatte|haben|hatten|machte|machten|erzielte|erzielten';
const DE_DONE = 'gemacht|erzielt|gehabt|eingenommen';
const DE_IS = 'ist|war|sind|waren|lag|lagen';
const DE_UP = 'höher|größer|mehr';
const DE_DOWN = 'niedriger|geringer|kleiner|weniger';
const DE_TO = 'auf|bis|zu|nach|und';

function germanAsking(better: string, more: string, done: string, past: string, asks: '>' | '<'): Grammar['lines'] {
  return [
    [`${DE_IS} ${DE_THE}? <m> <place:a> ${better} als <b>`, { asks }],
    [`${DE_IS} ${DE_THE}? <a> ${better} als <b>`, { asks }],
    [`${DE_HAS} <a> ${more} <m> ${DE_DONE}? als <b> ${DE_DONE}?`, { asks, mayCount: true }],
    [`${DE_HAS} <a> ${more} <m> als <b> ${DE_DONE}?`, { asks, mayCount: true }],
    [`gab_es|gibt_es|gab_es_denn <place:a> ${more} <m> als <b>`, { asks, mayCount: true }],
    [`gab_es|gibt_es ${more} <m> <place:a> als <b>`, { asks, mayCount: true }],
    [`gab_es|gibt_es ${more} <a> als <b>`, { asks, mayCount: true }],
    [`ist|sind ${DE_THE}? <m> von <a> ${DE_TO} <b> ${done}`, { asks, turned: true }],
    [`${past} ${DE_THE}? <m> von <a> ${DE_TO} <b>`, { asks, turned: true }],
  ];
}

const GERMAN: Grammar = {
  leading: 'für',
  counting: 'wie viele',
  standing: 'der|die|das|dem|den|des',
  lines: [
    [`wie_viel|wieviel mehr|weniger <m> ${DE_HAS} <a> ${DE_DONE}? als <b> ${DE_DONE}?`],
    [`wie_viel|wieviel <m> mehr|weniger ${DE_HAS} <a> ${DE_DONE}? als <b> ${DE_DONE}?`],
    [`wie_viele|wieviele mehr|weniger <m> ${DE_HAS} <a> als <b> ${DE_DONE}?`, { counts: true }],
    [`wie_viele|wieviele <m> mehr|weniger ${DE_HAS} <a> als <b> ${DE_DONE}?`, { counts: true }],
    ['wie_viele|wieviele <m> mehr|weniger gab_es|gibt_es <place:a> als <b>', { counts: true }],
    ['wie_viele|wieviele mehr|weniger <m> gab_es|gibt_es <place:a> als <b>', { counts: true }],
    [`um? wie_viel|wieviel ${DE_UP}|${DE_DOWN} ${DE_IS} ${DE_THE}? <m> <place:a> als <b>`],
    [`${DE_OPEN}? ${DE_THE}? differenz|unterschied zwischen ${DE_THE}? <x> und ${DE_THE}? <b>`, { unordered: true }],
    [
      `${DE_OPEN}? ${DE_THE}? differenz|unterschied beim|im|bei_der|bei_den|in_der|des|der|vom|von|von_der <m> zwischen <a> und <b>`,
      { unordered: true },
    ],
    [
      `um? wie_viel|wieviel|wie_viele prozent? ist|sind|hat|haben sich? ${DE_THE}? <m> von|zwischen <a> ${DE_TO} <b> gestiegen|gewachsen|gesunken|gefallen|zurückgegangen|verändert|geändert`,
      { turned: true },
    ],
    [
      `um? wie_viel|wieviel|wie_viele prozent? stieg|stiegen|wuchs|wuchsen|sank|sanken|fiel|fielen ${DE_THE}? <m> von|zwischen <a> ${DE_TO} <b>`,
      { turned: true },
    ],
    [
      `${DE_OPEN}? ${DE_THE}? prozentuale|relative|absolute? veränderung|änderung|entwicklung|wachstum|anstieg|zunahme|rückgang|steigerung|zuwachs des|der|beim|im|von|vom|bei_der <m> von|zwischen <a> ${DE_TO} <b>`,
      { turned: true },
    ],
    ...germanAsking(DE_UP, 'mehr', 'gestiegen|gewachsen', 'stieg|stiegen|wuchs|wuchsen', '>'),
    ...germanAsking(DE_DOWN, 'weniger', 'gesunken|gefallen|zurückgegangen', 'sank|sanken|fiel|fielen', '<'),
  ],
};

const FR_OPEN = 'quelle_est|quel_est|quelle_était|quel_était|donne_moi|montre_moi|calcule|affiche';
const FR_THE = "le|la|les|l'";
const FR_OF = "de|du|des|de_la|de_l'|d'";
const FR_HAS = 'a_t_il|a_t_elle|ont_ils|ont_elles|a|ont';
const FR_IS = 'est_il|est_elle|sont_ils|sont_elles|était_il|était_elle';
const FR_THAN = "que|qu'";

function frenchAsking(better: string, asks: '>' | '<'): Grammar['lines'] {
  return [
    [`${FR_THE}? <m> ${FR_IS} ${better} <place:a> ${FR_THAN} <b>`, { asks }],
    [`${FR_THE}? <m> <place:a> ${FR_IS} ${better} ${FR_THAN} <b>`, { asks }],
    [`est_ce_que|est_ce_qu' ${FR_THE}? <m> <place:a> est|était ${better} ${FR_THAN} <b>`, { asks }],
    [`est_ce_que|est_ce_qu' ${FR_THE}? <m> est|était ${better} <place:a> ${FR_THAN} <b>`, { asks }],
  ];
}

const FRENCH: Grammar = {
  leading: 'pour',
  counting: 'combien de',
  standing: 'celui|celle|ceux|celles|le|la|les',
  lines: [
    [`${FR_OPEN}? la|une? différence|écart ${FR_OF}|en|dans|pour ${FR_THE}? <m> entre <a> et <b>`, { unordered: true }],
    [`${FR_OPEN}? la|une? différence|écart entre ${FR_THE}? <x> et ${FR_THE}? <b>`, { unordered: true }],
    [
      `de_combien|de_combien_de_pour_cent|de_combien_de_%|de_quel_pourcentage ${FR_THE}? <m> ${FR_HAS} augmenté|progressé|diminué|baissé|changé|évolué|varié de|entre <a> à|et <b>`,
      { turned: true },
    ],
    [
      `${FR_OPEN}? ${FR_THE}? évolution|variation|croissance|augmentation|baisse|hausse|diminution|progression ${FR_OF} ${FR_THE}? <m> de|entre <a> à|et <b>`,
      { turned: true },
    ],
    ...frenchAsking(
      'plus_élevé|plus_élevée|plus_élevés|plus_élevées|plus_haut|plus_haute|plus_grand|plus_grande|supérieur|supérieure',
      '>',
    ),
    ...frenchAsking('plus_bas|plus_basse|plus_faible|plus_petit|plus_petite|moins_élevé|moins_élevée', '<'),
  ],
};

const ES_OPEN = 'cuál_es|cuál_fue|cuál_era|muestra|muéstrame|calcula|dime|dame';
const ES_THE = 'el|la|los|las';

function spanishAsking(better: string, more: string, asks: '>' | '<'): Grammar['lines'] {
  return [
    [`es|fue|son|fueron|era ${better} ${ES_THE}? <m> <place:a> que <b>`, { asks }],
    [`es|fue|son|fueron|era ${ES_THE}? <m> <place:a> ${better} que <b>`, { asks }],
    [`${ES_THE}? <m> <place:a> es|fue|son|fueron|era ${better} que <b>`, { asks }],
    [`${ES_THE}? <m> es|fue|son|fueron|era ${better} <place:a> que <b>`, { asks }],
    [`tuvo|tiene|hizo|vendió <a> ${more} <m> que <b>`, { asks, mayCount: true }],
    [`hubo|hay ${more} <m> <place:a> que <b>`, { asks, mayCount: true }],
  ];
}

const SPANISH: Grammar = {
  leading: 'para',
  counting: 'cuántos',
  standing: 'el|la|los|las',
  lines: [
    ['cuántos|cuántas <m> más|menos tuvo|tiene|hizo|vendió <a> que <b>', { counts: true }],
    ['cuántos|cuántas <m> más|menos hubo|hay <place:a> que <b>', { counts: true }],
    [`${ES_OPEN}? la? diferencia de|del|en ${ES_THE}? <m> entre <a> y|e <b>`, { unordered: true }],
    [`${ES_OPEN}? la? diferencia entre ${ES_THE}? <x> y|e ${ES_THE}? <b>`, { unordered: true }],
    [
      `cuánto|en_cuánto|en_qué_porcentaje|cuánto_por_ciento aumentó|aumentaron|creció|crecieron|subió|subieron|disminuyó|disminuyeron|bajó|bajaron|cayó|cayeron|cambió|cambiaron|varió|variaron ${ES_THE}? <m> de|entre <a> a|y <b>`,
      { turned: true },
    ],
    [
      `${ES_OPEN}? el|la? variación|cambio|crecimiento|aumento|disminución|caída|incremento|evolución de|del|en ${ES_THE}? <m> de|entre <a> a|y <b>`,
      { turned: true },
    ],
    ...spanishAsking('mayor|mayores|más_alto|más_alta|más_altos|más_altas|superior|superiores', 'más', '>'),
    ...spanishAsking('menor|menores|más_bajo|más_baja|más_bajos|más_bajas|inferior|inferiores', 'menos', '<'),
  ],
};

export const GRAMMARS: Partial<Record<LanguageCode, Grammar>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
};
