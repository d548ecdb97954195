import { languageNamed } from './lexicon/languages.js';
import { happeningIn } from './happenings.js';
import type { Mark } from './mark-words.js';
import { DAYS } from './row-nouns.js';

type Kind = Mark['kind'];

const set = (kinds: string) => new Set(kinds.split(' ') as Kind[]);
const NOUNS = 'column value table rows quoted aggregate distinct adjective event sign edge';
const TIMES = 'period season twofold not matches';

/** What may come next. Words that carry nothing themselves must lead to something: in "in US" the second is no pronoun. */
const NEXT: Partial<Record<Kind, ReadonlySet<Kind>>> = {
  article: set(`${NOUNS} ${TIMES} top bottom unit amount ordinal common`),
  not: set(
    'column value quoted table period season twofold amount preposition article compare between verb truth matches adjective aside sign',
  ),
  matches: set('value quoted article'),
  share: set('column value table rows quoted adjective article aggregate not sign'),
  common: set('column unit amount aside verb preposition period'),
  versus: set('column value quoted article aggregate table rows amount period season preposition'),
  when: set('verb column value table article'),
  edge: set('column table article amount preposition'),
  ordinal: set('aggregate adjective'),
  preposition: set(`${NOUNS} ${TIMES} article amount compare verb truth`),
  by: set('column table unit article aggregate value'),
  verb: set(`${NOUNS} ${TIMES} article common amount ordinal compare between from preposition truth aside top bottom`),
  and: set(
    `${NOUNS} ${TIMES} article amount compare between from until preposition by unit which opener list further aside top bottom`,
  ),
  or: set(`value quoted ${TIMES} amount article preposition`),
  compare: set(`period season twofold amount article aggregate column`),
  between: set(`period season twofold amount article`),
  from: set(`period season twofold amount article value quoted table rows column`),
  until: set(`period season twofold amount article value quoted`),
  distinct: set('column'),
  which: set(`${NOUNS} aside common unit article amount ordinal top bottom ${TIMES}`),
  list: set(`${NOUNS} ${TIMES} aside common article top bottom amount ordinal`),
  aggregate: set(`${NOUNS} ${TIMES} article amount by aside unit top instead`),
  top: set('amount column value table rows unit'),
  bottom: set('amount column value table rows unit'),
};

/** What may stand at the end. */
const LAST = set(`${NOUNS} period season twofold amount truth unit aside instead common verb`);
const OPENING = set('opener which list further and article aside instead versus');
const COUNTED = set(`${NOUNS} ${TIMES} amount`);
/** What may be said of rows that nothing names. */
const SAID = set('verb preposition column aside sign');
const SUBJECTS = set(
  `event sign adjective column value table rows period season aside opener which quoted unit truth when share`,
);
const LISTED = set(`value quoted period season twofold amount`);
const NAMED = set('event sign column value table rows period season quoted share');
const BEFORE_PLACES = set(
  `${[...NAMED].join(' ')} amount truth aside verb and or unit further opener twofold not share versus when`,
);
const PLACES = set('value quoted article');
const RELATIVE = new Set(['that', 'who', 'whose', 'where', 'التي', 'الذي', 'حيث']);

/** Verbs that are no more than the name of a column: "earns". */
const VERBAL = /^(?:earn|earns|earned|weigh|weighs|verdient|verdienen)$/;

/** Whether the mark can stand after the others, all of which fit. */
export function fits(before: readonly Mark[], mark: Mark): boolean {
  const last = before.at(-1);
  if (countsSubjects(before, mark)) return true;
  // "That are still open"
  if (last && saysOfThings(last) && mark.kind === 'aside') return true;
  if (last?.kind === 'preposition' && last.role === 'place' && !PLACES.has(mark.kind)) return false;
  if (last && standsAlone(before) && ['preposition', 'period', 'season', 'from'].includes(mark.kind)) return true;
  if (last && !(nextOf(before)?.has(mark.kind) ?? true)) return false;
  // "Above average", «superior al salario medio»
  if (last?.kind === 'compare' && mark.kind === 'aggregate' && mark.aggregate !== 'avg') return false;
  if (last?.kind === 'compare' && mark.kind === 'column' && !adjectivesBehind(mark)) return false;
  if (last?.kind === 'amount' && before.at(-2)?.kind === 'edge' && !namesRows(mark)) return false;
  // "How many" leads straight to what is counted.
  if (last?.kind === 'aggregate' && last.aggregate === 'count' && !COUNTED.has(mark.kind)) return false;
  switch (mark.kind) {
    case 'rows':
    case 'table':
      return last?.kind !== 'rows' && last?.kind !== 'table';
    case 'opener':
    case 'which':
    case 'list':
    case 'further':
      return before.every(({ kind }) => OPENING.has(kind));
    case 'verb':
      if (last?.kind === 'preposition')
        return last.role === 'subject' || ['that', 'who', 'التي', 'الذي'].includes(last.words[0]!.plain);
      // «, die mehr als 100 haben»
      if (last?.kind === 'amount' && verbsLast(mark)) return true;
      // «Ainda não estão pagas»
      if (last?.kind === 'not') return mark.words[0]!.language !== 'en';
      return last !== undefined && (SUBJECTS.has(last.kind) || isBehindNoun(before));
    case 'and':
      return last === undefined || !['preposition', 'article', 'by', 'compare'].includes(last.kind);
    case 'or':
      return last !== undefined && LISTED.has(last.kind);
    case 'unit':
      return (
        mark.alone ||
        (last !== undefined &&
          ['by', 'which', 'opener', 'amount', 'and', 'top', 'bottom', 'adjective', 'common'].includes(last.kind)) ||
        isGroupedArticle(before)
      );
    case 'amount':
      return true;
    case 'preposition':
    case 'from':
    case 'until':
      if (isRelative(mark)) return last !== undefined && NAMED.has(last.kind);
      // "Our best sellers in Berlin", "the youngest in IT"
      if (last?.kind === 'adjective' && last.adjective.form === 'superlative') return true;
      return last === undefined || BEFORE_PLACES.has(last.kind) || isBehindNoun(before);
    default:
      return true;
  }
}

export function ends(marks: readonly Mark[]): boolean {
  const last = marks.at(-1);
  // «, die war»: of whom nothing is said.
  if (last?.kind === 'verb' && marks.at(-2)?.kind === 'preposition') return false;
  return last !== undefined && (LAST.has(last.kind) || (last.kind === 'verb' && verbsLast(last)));
}

/** "That are": what follows is said of the things before it. */
export function saysOfThings(mark: Mark): boolean {
  if (mark.kind !== 'preposition') return false;
  return mark.role === 'subject' || /^(?:is|are|was|were)$/.test(mark.words.at(-1)!.plain);
}

/** "Who spent the most in May": the superlative belongs to the verb. */
function standsAlone(before: readonly Mark[]): boolean {
  const last = before.at(-1);
  if (last?.kind !== 'aggregate' || !/^(?:most|least|meisten|wenigsten)$/.test(last.words.at(-1)!.plain)) return false;
  const verb = before.findLast(({ kind }) => kind !== 'article' && kind !== 'aggregate');
  return verb?.kind === 'column' && (verb.verb === true || VERBAL.test(verb.words[0]!.norm));
}

/** "Last 5 orders", "last 5 open orders"; "last 5 days" are a time, also where each row is one. */
function namesRows(mark: Mark): boolean {
  const { kind, words } = mark;
  if (kind === 'column') return mark.done !== undefined || happeningIn(mark) !== null;
  return kind === 'value' || (kind === 'table' && !words.some(({ norm }) => DAYS.has(norm)));
}

function isGroupedArticle(before: readonly Mark[]): boolean {
  return before.at(-1)?.kind === 'article' && ['by', 'which'].includes(before.at(-2)?.kind ?? '');
}

function isRelative(mark: Mark): boolean {
  const role = mark.kind === 'preposition' ? mark.role : undefined;
  return role === 'relative' || role === 'subject' || RELATIVE.has(mark.words[0]!.plain);
}

function verbsLast({ words }: Mark): boolean {
  return languageNamed(words[0]!.language)?.verbsLast === true;
}

function nextOf(before: readonly Mark[]): ReadonlySet<Kind> | undefined {
  const last = before.at(-1)!;
  if (last.kind === 'share' && last.bare) return SAID;
  return isBehindNoun(before) ? undefined : NEXT[last.kind];
}

/** «Quantité totale à Lyon»: an adjective that stands behind its noun leads to what the noun would lead to. */
function isBehindNoun(before: readonly Mark[]): boolean {
  const [noun, last] = before.slice(-2);
  return noun?.kind === 'column' && (last?.kind === 'aggregate' || last?.kind === 'distinct') && adjectivesBehind(last);
}

function adjectivesBehind({ words }: Mark): boolean {
  return languageNamed(words[0]!.language)?.adjectivesBehind === true;
}

function isReferring(mark: Mark | undefined): boolean {
  return mark?.kind === 'aside' && mark.refers === true;
}

/** «Wie viele sind jünger als 40», "how often was", «wie oft kommt» */
function countsSubjects(before: readonly Mark[], mark: Mark): boolean {
  // "Of those, how many are open"
  const [first, ...others] = before.filter(({ kind }, at) => !isReferring(before[at]) && (kind !== 'and' || at > 1));
  const counts = first?.kind === 'aggregate' && first.aggregate === 'count' && others.length === 0;
  if (counts && mark.kind === 'preposition' && (mark.role === 'with' || mark.words[0]!.plain === 'with')) return true;
  if (!counts || (mark.kind !== 'verb' && mark.kind !== 'aside')) return false;
  // "How many of them are open"
  if (isReferring(mark)) return true;
  // "How many have a rating of 4.5", "how many are open"
  if (/^(?:have|had|are|were|is|was)$/.test(mark.words[0]!.plain) && first.words.at(-1)!.plain === 'many') return true;
  const countsTimes = /^(?:often|times|oft|male)$/.test(first.words.at(-1)!.plain);
  return countsTimes || (mark.kind === 'verb' && mark.words[0]!.language !== 'en');
}
