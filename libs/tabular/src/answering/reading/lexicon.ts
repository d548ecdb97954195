import { normalise } from './words.js';

export type Aggregate = 'count' | 'sum' | 'avg' | 'min' | 'max' | 'median';

/** What a phrase of a question means. */
export type Meaning =
  | { kind: 'aggregate'; aggregate: Aggregate }
  | { kind: 'distinct' }
  | { kind: 'by' }
  | { kind: 'which' }
  | { kind: 'list' }
  | { kind: 'rows' }
  | { kind: 'top' | 'bottom' }
  | { kind: 'compare'; op: '>' | '<' | '>=' | '<=' }
  | { kind: 'equals' }
  | { kind: 'unit'; unit: 'year' | 'quarter' | 'month' | 'week' | 'day' }
  | { kind: 'also' }
  | { kind: 'filler' };

const aggregate = (name: Aggregate): Meaning => ({ kind: 'aggregate', aggregate: name });
const compare = (op: '>' | '<' | '>=' | '<='): Meaning => ({ kind: 'compare', op });

/** Words that change the meaning in ways not known here (`not`, `or`, `except`) stand in no line: the question is then not read at all. */
const LINES: [Meaning, string][] = [
  [aggregate('count'), 'how many|number of|count of|count|كم عدد|عدد|كم'],
  [aggregate('sum'), 'sum of|sum|total of|total|مجموع|اجمالي|المجموع|الاجمالي'],
  [aggregate('avg'), 'average of|average|avg|mean of|mean|متوسط|المتوسط|معدل|المعدل'],
  [aggregate('median'), 'median of|median|الوسيط|وسيط'],
  [aggregate('min'), 'minimum|min|lowest|smallest|least|earliest|oldest|ادني|اقل|اصغر|اقدم'],
  [aggregate('max'), 'maximum|max|highest|largest|biggest|greatest|most|latest|newest|اعلي|اكبر|اقصي|اكثر|احدث'],
  [{ kind: 'distinct' }, 'distinct|unique|different|المختلفه|مختلفه|الفريده|فريده'],
  [{ kind: 'by' }, 'by each|by|per|for each|for every|each|grouped by|group by|broken down by|لكل من|لكل|حسب|بحسب'],
  [{ kind: 'which' }, 'which|ما هي|ما هو|اي'],
  [{ kind: 'list' }, 'list|show me|show|display|اعرض|اظهر|اذكر'],
  [{ kind: 'rows' }, 'rows|row|records|record|entries|entry|lines|items|صف|صفوف|الصفوف|سجل|سجلات|السجلات|سطر|اسطر'],
  [{ kind: 'top' }, 'top|افضل'],
  [{ kind: 'bottom' }, 'bottom'],
  [
    compare('>'),
    'greater than|more than|larger than|bigger than|higher than|over|above|after|>|اكبر من|اكثر من|اعلي من|فوق|بعد|يزيد عن|تزيد عن',
  ],
  [compare('<'), 'less than|fewer than|smaller than|lower than|under|below|before|<|اقل من|اصغر من|ادني من|تحت|قبل'],
  [compare('>='), 'at least|greater than or equal to|>=|علي الاقل|لا يقل عن'],
  [compare('<='), 'at most|less than or equal to|<=|علي الاكثر|لا يزيد عن'],
  [{ kind: 'equals' }, 'is equal to|equal to|equals|equal|is|are|=|يساوي|تساوي'],
  [{ kind: 'unit', unit: 'year' }, 'year|yearly|annually|سنه|السنه|سنويا|عام'],
  [{ kind: 'unit', unit: 'quarter' }, 'quarter|quarterly|ربع سنه'],
  [{ kind: 'unit', unit: 'month' }, 'month|monthly|شهر|الشهر|شهريا'],
  [{ kind: 'unit', unit: 'week' }, 'week|weekly|اسبوع|الاسبوع|اسبوعيا'],
  [{ kind: 'unit', unit: 'day' }, 'day|daily|يوم|اليوم|يوميا'],
  [{ kind: 'also' }, 'and what about|what about|how about|and for|and in|and|also|then|وماذا عن|ماذا عن|وفي|و'],
  [
    { kind: 'filler' },
    `a|an|the|of|in|on|at|to|from|for|with|where|whose|who|what|what's|was|were|be|do|does|did|has|have|had|there|that|
     it|its|s|this|these|those|my|our|me|us|we|i|you|please|can|could|would|tell|give|calculate|compute|find|get|all|overall|
     altogether|value|values|table|file|sheet|data|how much|during|within|
     في|من|علي|الي|عن|هو|هي|هل|ما|ماذا|التي|الذي|حيث|كل|جميع|قيمه|القيمه|الجدول|جدول|الملف|ملف|البيانات|لي|احسب|اعطني|يوجد|
     توجد|هناك|ان|تكون|يكون|خلال|كانت|كان`,
  ],
];

export const LEXICON: ReadonlyMap<string, Meaning> = new Map(
  LINES.flatMap(([meaning, phrases]) => phrases.split('|').map((phrase) => [normalise(phrase), meaning] as const)),
);

export const LONGEST_PHRASE = Math.max(...[...LEXICON.keys()].map((phrase) => phrase.split(' ').length));
