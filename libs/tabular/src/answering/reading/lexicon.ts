import { LANGUAGES, type LanguageCode } from './lexicon/languages.js';
import { normalise } from './words.js';

export type Aggregate = 'count' | 'sum' | 'avg' | 'min' | 'max' | 'median';
export type DateUnit = 'decade' | 'year' | 'quarter' | 'month' | 'week' | 'day' | 'weekday';
export type Comparison = '>' | '<' | '>=' | '<=';

/** What a phrase of a question means. What it may stand beside says `grammar.ts`: a word out of place means something else. */
export type Meaning =
  /** `ofTime`: only of dates, as in "latest". */
  | { kind: 'aggregate'; aggregate: Aggregate; ofTime?: true }
  | { kind: 'distinct' }
  /** `total`: "by" rather than "per". */
  | { kind: 'by'; total?: true }
  | { kind: 'which' }
  | { kind: 'list' }
  | { kind: 'rows' }
  /** `judged`: "best", which is not always the most. */
  | { kind: 'top' | 'bottom'; judged?: true }
  /** `of`: what may be compared so. */
  | { kind: 'compare'; op: Comparison; of: 'numbers' | 'times' | 'both' }
  | { kind: 'between' | 'from' | 'until' }
  /** "Is", "are", "has" */
  | { kind: 'verb' }
  | { kind: 'unit'; unit: DateUnit; alone: boolean }
  /** "Not", "except"; `empty`: "without", "no" may also mean that nothing stands there. */
  | { kind: 'not'; empty: boolean }
  /** "Contains", "starts with" */
  | { kind: 'matches'; way: TextMatch }
  /** "Percentage of"; `bare`: of the rows that what follows is said of, as in "what percentage would". */
  | { kind: 'share'; bare?: true }
  /** "Most common", "least often"; `loose`: "most popular" may be what sells most, too. */
  | { kind: 'common'; direction: 'asc' | 'desc'; behind: boolean; loose?: true }
  /** "Versus", "compare": one figure for each. */
  | { kind: 'versus'; opens: boolean }
  /**
   * "First price", "last price": of the first day, of the last. `loose`: "latest guests" may be those who came last.
   * `many`: whether it is said of several, where the word tells.
   */
  | { kind: 'edge'; edge: 'asc' | 'desc'; loose?: true; many?: boolean }
  /** "When" */
  | { kind: 'when' }
  /** "Second": of an order. */
  | { kind: 'ordinal'; place: number }
  | { kind: 'and' | 'or' }
  /** Begins a question: "what is", "tell me". `which`: "what city has the most" is as good as "which". `who`: of whose row. `rows`: "tell me about". */
  | { kind: 'opener'; which?: true; who?: true; rows?: true }
  /** Begins one that goes on with another: "what about", "only". */
  | { kind: 'further' }
  /** "Instead" */
  | { kind: 'instead' }
  /**
   * Must lead to something: "in", "for", "where". `place`: no time follows, `relative`: behind a name alone, `subject`: that,
   * and before a verb ("that are").
   */
  | { kind: 'preposition'; role?: 'with' | 'of' | 'place' | 'relative' | 'subject' }
  | { kind: 'article' }
  /** Says nothing wherever it stands: "in this table", "are there". `refers`: "of them", what was asked about before. */
  | { kind: 'aside'; refers?: true };

export type TextMatch = 'contains' | 'starts' | 'ends';

const aggregate = (name: Aggregate): Meaning => ({ kind: 'aggregate', aggregate: name });
const timely = (name: Aggregate): Meaning => ({ kind: 'aggregate', aggregate: name, ofTime: true });
const compare = (op: Comparison, of: 'numbers' | 'times' | 'both' = 'numbers'): Meaning => ({
  kind: 'compare',
  op,
  of,
});
const unit = (name: DateUnit, alone: boolean): Meaning => ({ kind: 'unit', unit: name, alone });

/** `happened in`, `located at`: no more than the preposition. */
const PLACED = [
  'happened',
  'occurred',
  'happening',
  'occurring',
  'took place',
  'located',
  'based',
  'living',
  'live',
  'lives',
  'lived',
  'situated',
  'found',
  'reported',
  'recorded',
  'made',
  'produced',
  'played',
  'held',
]
  .flatMap((verb) => ['in', 'at', 'on', 'during', 'from'].map((place) => `${verb} ${place}`))
  .join('|');

/** Words that change the meaning in ways not known here (`last year`) stand in no line: the question is then not read at all. */
const LINES: [Meaning, string][] = [
  [
    aggregate('count'),
    'how many|how often|how many times|number of|total number of|the number of|count of|total count of|count|كم عدد|عدد|كم|ما عدد|اجمالي عدد',
  ],
  [aggregate('sum'), 'sum of|sum|total of|total sum of|total|مجموع|اجمالي|المجموع|الاجمالي'],
  [aggregate('avg'), 'average of|average|avg|mean of|mean|متوسط|المتوسط|معدل|المعدل'],
  [aggregate('median'), 'median of|median|الوسيط|وسيط'],
  [aggregate('min'), 'minimum|min|lowest|smallest|least|fewest|ادني|اقل|اصغر'],
  [aggregate('max'), 'maximum|max|highest|largest|biggest|greatest|most|اعلي|اكبر|اقصي|اكثر'],
  [timely('min'), 'earliest|oldest|اقدم'],
  [timely('max'), 'latest|newest|most recent|احدث'],
  [{ kind: 'distinct' }, 'distinct|unique|different|المختلفه|مختلفه|الفريده|فريده'],
  [
    { kind: 'by' },
    'by each|by|per|for each|for every|in each|each|grouped by|group by|broken down by|لكل من|لكل|حسب|بحسب|في كل',
  ],
  [{ kind: 'which' }, 'which|اي'],
  [
    { kind: 'not', empty: false },
    `not|isn't|aren't|wasn't|weren't|except|except for|excluding|exclude|other than|apart from|but not|non|not counting|leaving out|!=|<>|ليس|ليست|ليسوا|غير|عدا|ما عدا|ماعدا|باستثناء|دون احتساب`,
  ],
  [
    { kind: 'not', empty: true },
    "without|with no|have no|has no|had no|having no|who have no|lacking|did not have|does not have|do not have|not having|didn't have|doesn't have|don't have|بدون|بلا|من دون",
  ],
  [
    { kind: 'matches', way: 'contains' },
    'contains|contain|containing|that contains|that contain|includes the word|with the word|contains the word|يحتوي علي|تحتوي علي|يحوي',
  ],
  [
    { kind: 'matches', way: 'starts' },
    'starts with|start with|starting with|begins with|begin with|beginning with|that start with|that starts with|يبدا ب|تبدا ب',
  ],
  [
    { kind: 'matches', way: 'ends' },
    'ends with|end with|ending with|ends in|ending in|that end with|that ends with|ينتهي ب|تنتهي ب',
  ],
  [
    { kind: 'share' },
    'percentage of|percent of|% of|share of|the share of|proportion of|the proportion of|fraction of|what percentage of|what percent of|what % of|what share of|what proportion of|what fraction of|the percentage of|نسبه|النسبه المئويه|ما نسبه',
  ],
  [
    { kind: 'share', bare: true },
    'percentage|the percentage|what percentage|percent|what percent|what share|what proportion|what fraction',
  ],
  [
    { kind: 'common', direction: 'desc', behind: false },
    'most common|most frequent|commonest|الاكثر شيوعا|اكثر شيوعا|الاكثر تكرارا',
  ],
  [{ kind: 'common', direction: 'asc', behind: false }, 'least common|least frequent|rarest'],
  [{ kind: 'common', direction: 'desc', behind: false, loose: true }, 'most popular|busiest|الاكثر شعبيه'],
  [{ kind: 'common', direction: 'asc', behind: false, loose: true }, 'least popular|quietest|least busy'],
  [
    { kind: 'common', direction: 'desc', behind: true },
    'most often|most frequently|the most often|most commonly|the most frequently',
  ],
  [{ kind: 'common', direction: 'asc', behind: true }, 'least often|least frequently'],
  [{ kind: 'versus', opens: false }, 'vs|versus|compared to|compared with|against|مقابل|مقارنه ب'],
  [{ kind: 'versus', opens: true }, 'compare|compare the|comparison of|قارن|قارن بين|مقارنه'],
  [{ kind: 'edge', edge: 'desc' }, 'last|final|most recently|اخر'],
  [{ kind: 'edge', edge: 'asc' }, 'first|initial'],
  [{ kind: 'edge', edge: 'desc', loose: true }, 'latest|most recent|newest|احدث'],
  [{ kind: 'edge', edge: 'asc', loose: true }, 'earliest'],
  [{ kind: 'when' }, 'when|on what date|on which date|متي'],
  [
    { kind: 'list' },
    'list of|a list of|list of all|show all|show me all|list all the|who are|list|list all|show me|show us|show|display|give me|اعرض|اظهر|اذكر',
  ],
  [{ kind: 'rows' }, 'rows|row|records|record|entries|صف|صفوف|الصفوف|سجل|سجلات|السجلات|سطر|اسطر'],
  [{ kind: 'top' }, 'top|افضل'],
  [{ kind: 'bottom' }, 'bottom'],
  [{ kind: 'top', judged: true }, 'best'],
  [{ kind: 'bottom', judged: true }, 'worst'],
  [
    compare('>'),
    'greater than|more than|larger than|bigger than|higher than|over|above|exceeding|اكبر من|اكثر من|اعلي من|فوق|يزيد عن|تزيد عن',
  ],
  [compare('>', 'both'), '>'],
  [compare('<', 'both'), '<'],
  [compare('>=', 'both'), '>='],
  [compare('<=', 'both'), '<='],
  [compare('>', 'times'), 'after|later than|بعد'],
  [compare('<', 'times'), 'before|earlier than|prior to|قبل'],
  [compare('>=', 'times'), 'since|منذ'],
  [compare('<'), 'less than|fewer than|smaller than|lower than|under|below|اقل من|اصغر من|ادني من|تحت'],
  [compare('>='), 'at least|greater than or equal to|no less than|علي الاقل|لا يقل عن'],
  [compare('<='), 'at most|less than or equal to|no more than|علي الاكثر|لا يزيد عن'],
  [{ kind: 'between' }, 'between|بين'],
  [{ kind: 'from' }, 'from|من'],
  [{ kind: 'until' }, 'to|until|الي|حتي'],
  [
    { kind: 'verb' },
    'is equal to|equal to|equals|equal|did|does|do|reach|reached|occur|occurs|appear|appears|is|are|was|were|has|have|had|=|يساوي|تساوي|هو|هي|كانت|كان|يكون|تكون',
  ],
  [unit('decade', false), 'decade|decades|عقد|العقد'],
  [unit('weekday', false), 'weekday|weekdays|day of the week|day of week|days of the week|ايام الاسبوع|يوم الاسبوع'],
  [unit('year', false), 'year|years|سنه|السنه|عام|سنوات|السنوات'],
  [unit('quarter', false), 'quarter|quarters|ربع سنه|ربع'],
  [unit('month', false), 'month|months|شهر|الشهر|اشهر|الاشهر|شهور'],
  [unit('week', false), 'week|weeks|اسبوع|الاسبوع|اسابيع'],
  [unit('day', false), 'day|days|يوم|ايام|الايام'],
  [unit('year', true), 'yearly|annually|سنويا'],
  [unit('quarter', true), 'quarterly'],
  [unit('month', true), 'monthly|شهريا|بالاشهر|بالشهر'],
  [unit('week', true), 'weekly|اسبوعيا'],
  [unit('day', true), 'daily|يوميا'],
  [{ kind: 'ordinal', place: 2 }, 'second|2nd|ثاني'],
  [{ kind: 'ordinal', place: 3 }, 'third|3rd|ثالث'],
  [{ kind: 'ordinal', place: 4 }, 'fourth|4th|رابع'],
  [{ kind: 'ordinal', place: 5 }, 'fifth|5th|خامس'],
  [{ kind: 'and' }, 'and|and in|and for|وفي|also|as well as|,|;|،|؛|&|و'],
  [{ kind: 'or' }, 'or|او'],
  [{ kind: 'further' }, 'and what about|what about|how about|only|then|now|just|وماذا عن|ماذا عن|فقط'],
  [{ kind: 'instead' }, 'instead'],
  [
    { kind: 'opener' },
    `what is|what are|what was|what were|what's|what|how much is|how much was|how much|how much money|how much money did|how much money does|tell me|tell us|give us|can you|could you|
     calculate|compute|find|get|what do you know about|tell me about|information on|information about|details of|details on|where is|where are|where was|اين|how much did|how much does|i want|i need|i want to know|who|ما هو|ما هي|ما|ماذا|احسب|اعطني|هل|كم هو|كم هي|كم يبلغ|كم|اريد`,
  ],
  [
    { kind: 'opener', which: true },
    'which is|which are|which was|which were|which one is|which one was|which ones are|which ones were',
  ],
  [
    { kind: 'preposition' },
    `${PLACED}|involving|involved|involve|involves|having|named|called|belonging to|during the|in|on|at|for|with|of|within|during|where|whose|that|that is|that are|who|في|علي|عن|التي|الذي|حيث|خلال|لدي|مع`,
  ],
  [{ kind: 'article' }, 'a|an|the|all|all of the|all the|every|our|my|its|their|كل|جميع'],
  [
    { kind: 'aside', refers: true },
    'of them|of those|of these|among them|among those|from those|them|منها|منهم|من بينها|من بينهم',
  ],
  [
    { kind: 'aside' },
    `happened|occurred|years old|years of age|are there|is there|were there|there are|there is|do we have|did we have|please|in total|in the table|in this table|in the file|in this file|
     in the data|in the sheet|in this sheet|in the spreadsheet|the value of|value of|the values of|values of|
     يوجد|توجد|هناك|قيمه|في الجدول|في الملف|في البيانات|لدينا|من فضلك`,
  ],
];

/** A phrase may mean several things; where it stands decides. */
export const LEXICON: ReadonlyMap<string, readonly Meaning[]> = mapOf(LINES, (phrase) => [phrase]);

const LEXICONS = new Map<LanguageCode, ReadonlyMap<string, readonly Meaning[]>>([['en', LEXICON]]);
for (const [code, { lines, respell, elisions }] of Object.entries(LANGUAGES)) {
  const written = new Set(lines.flatMap(([, phrases]) => phrases.split('|').map(normalise)));
  // A single letter is another word without its accent, and so is «dès».
  const spellings = (phrase: string) => {
    const bare = respell(phrase);
    return phrase.length > 2 && !written.has(bare) ? [phrase, bare] : [phrase];
  };
  // `qu'est-ce que` is asked in five words.
  const parted = (phrase: string) =>
    phrase
      .split(' ')
      .map((word) => (elisions ? word.replace(elisions, '$& ') : word))
      .join(' ');
  LEXICONS.set(
    code as LanguageCode,
    mapOf(lines, (phrase) => spellings(parted(phrase))),
  );
}

function mapOf(
  lines: readonly (readonly [Meaning, string])[],
  spellings: (phrase: string) => string[],
): Map<string, Meaning[]> {
  const found = new Map<string, Meaning[]>();
  for (const [meaning, phrases] of lines)
    for (const phrase of new Set(phrases.split('|').map(normalise).flatMap(spellings)))
      found.set(phrase, [...(found.get(phrase) ?? []), meaning]);
  return found;
}

/** What words of asking of a language mean; Arabic ones stand with the English. */
export function lexiconOf(language: LanguageCode): ReadonlyMap<string, readonly Meaning[]> {
  return LEXICONS.get(language) ?? LEXICON;
}

export const LONGEST_PHRASE = Math.max(
  ...[...LEXICONS.values()].flatMap((lexicon) => [...lexicon.keys()].map((phrase) => phrase.split(' ').length)),
);
