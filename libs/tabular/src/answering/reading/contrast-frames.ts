import { GRAMMARS, type Grammar, type PatternOf } from './contrast-grammars.js';
import type { LanguageCode } from './lexicon/languages.js';
import { lexiconOf } from './lexicon.js';
import { relativeAt } from './relative-times.js';
import { timeAt } from './times.js';
import { normalise, wordsOf, type Word } from './words.js';

/** A question about two figures, as two questions about one each. */
export interface Frame {
  first: Word[];
  second: Word[];
  /** Whether the first is asked to be above the second, or below. */
  asks: '>' | '<' | null;
  /** "The difference between A and B": neither is said to be the one that the other is compared with. */
  unordered: boolean;
  /** Another way to read it where this one makes no sense. */
  otherwise?: Frame;
}

/** A longer question is no simple comparison; the ways to split one grow with its length. */
const MOST_WORDS = 32;
/** Ways to split one question. */
const MOST_FRAMES = 12;

/** What is filled in: see `Grammar`. */
type Slot = 'm' | 'a' | 'b' | 'c' | 'x';
type Token = { slot: Slot; must: 'place' | 'owner' | null } | { words: string[][]; optional: boolean };

interface Pattern extends PatternOf {
  tokens: Token[];
}

const PATTERNS = new Map<LanguageCode, Pattern[]>(
  Object.entries(GRAMMARS).map(([code, { lines }]) => [code as LanguageCode, lines.map(toPattern)]),
);

function toPattern([line, of = {}]: Grammar['lines'][number]): Pattern {
  const tokens = line.split(' ').map((text): Token => {
    const [, must, slot] = /^<(?:(place|owner):)?([mabcx])>$/.exec(text) ?? [];
    if (slot) return { slot: slot as Slot, must: (must as 'place' | 'owner' | undefined) ?? null };
    const optional = text.endsWith('?');
    const words = (optional ? text.slice(0, -1) : text).split('|').map((one) => one.split('_').map(normalise));
    return { words, optional };
  });
  return { tokens, asks: null, turned: false, unordered: false, counts: false, mayCount: false, ...of };
}

type Captured = Partial<Record<Slot, readonly Word[]>>;

/** Every way in which the words ask for two figures and what lies between them. */
export function framesOf(words: readonly Word[], language: LanguageCode): Frame[] {
  const grammar = GRAMMARS[language];
  if (!grammar || words.length > MOST_WORDS) return [];
  const frames = new Map<string, Frame>();
  for (const pattern of PATTERNS.get(language)!)
    for (const captured of matches(pattern.tokens, words)) {
      for (const sides of split(captured)) {
        const own = { ...sides, b: captured.b!, c: captured.c };
        const frame = toFrame(pattern, grammar, language, own);
        if (pattern.mayCount) frame.otherwise = toFrame({ ...pattern, counts: true }, grammar, language, own);
        const key = [frame.first, frame.second].map((side) => side.map(({ plain }) => plain).join(' ')).join('|');
        if (!frames.has(key)) frames.set(key, frame);
        if (frames.size >= MOST_FRAMES) return [...frames.values()];
      }
    }
  return [...frames.values()];
}

function toFrame(
  { asks, turned, unordered, counts }: Pattern,
  { leading, counting, standing }: Grammar,
  language: LanguageCode,
  { m, a, b, c }: { m: readonly Word[]; a: readonly Word[]; b: readonly Word[]; c?: readonly Word[] | undefined },
): Frame {
  const written = (text: string) => wordsOf(text).map((word): Word => ({ ...word, language }));
  // Without a measure each side names its own: "open orders", "shipped orders".
  const led = (side: readonly Word[]) => (m.length === 0 || leads(side[0]) ? side : [...written(leading), ...side]);
  const measure = [...(counts ? written(counting) : []), ...m, ...(c ? led(c) : [])];
  const other = withoutMeasure(b, m, standing.split('|'));
  const [one, two] = sharingYear(a, other);
  const [first, second] = [one, two].map((side) => [...measure, ...led(side!)]);
  return { first: (turned ? second : first)!, second: (turned ? first : second)!, asks, unordered };
}

/** "Than that in Bergen", "and revenue in 2024": the measure is said again. */
function withoutMeasure(side: readonly Word[], m: readonly Word[], standing: readonly string[]): readonly Word[] {
  const [first] = side;
  if (m.length === 0) return side;
  const again = m.filter(({ plain }, at) => at > 0 || !standing.includes(plain));
  const repeats = again.length < side.length && again.every(({ norm }, at) => side[at]!.norm === norm);
  if (repeats) return side.slice(again.length);
  return first && !first.quoted && side.length > 1 && standing.includes(first.plain) ? side.slice(1) : side;
}

/** "From January to February 2024": both are of that year. */
function sharingYear(a: readonly Word[], b: readonly Word[]): [readonly Word[], readonly Word[]] {
  const [one, two] = [timeIn(a), timeIn(b)];
  const year = two?.kind === 'period' ? b[two.end - 1] : undefined;
  if (one?.kind !== 'season' || !year || !/^\d{4}$/.test(year.plain)) return [a, b];
  return [[...a.slice(0, one.end), year, ...a.slice(one.end)], b];
}

function timeIn(words: readonly Word[]): { kind: 'period' | 'season' | 'twofold'; end: number } | null {
  for (const at of words.keys()) {
    const time = timeAt(words, at);
    if (time) return { kind: time.kind, end: at + time.length };
  }
  return null;
}

function leads(word: Word | undefined): boolean {
  if (!word || word.quoted) return false;
  const meanings = lexiconOf(word.language).get(word.plain) ?? [];
  return meanings.some(({ kind }) => kind === 'preposition' || kind === 'from');
}

/** The measure and the first side, which begins with a preposition where they stand together. */
function split({ m, a, x }: Captured): { m: readonly Word[]; a: readonly Word[] }[] {
  if (!x) return a ? [{ m: m ?? [], a }] : [];
  return [...x.keys()]
    .filter((at) => at > 0 && (leads(x[at]) || relativeAt(x, at) !== null))
    .map((at) => ({ m: x.slice(0, at), a: x.slice(at) }));
}

function* matches(tokens: readonly Token[], words: readonly Word[], at = 0): Generator<Captured> {
  const [token, ...rest] = tokens;
  if (!token) {
    if (at === words.length) yield {};
    return;
  }
  if ('words' in token) {
    for (const phrase of token.words)
      if (phrase.every((part, next) => words[at + next]?.quoted === false && words[at + next]!.plain === part))
        yield* matches(rest, words, at + phrase.length);
    if (token.optional) yield* matches(rest, words, at);
    return;
  }
  const { slot, must } = token;
  if (must === 'place' && !leads(words[at]) && !relativeAt(words, at)) return;
  for (let end = at + 1; end <= words.length; end++) {
    if (must === 'owner' && !/'s?$/.test(words[end - 1]!.norm)) continue;
    const own = words.slice(at, end);
    for (const others of matches(rest, words, end)) yield { ...others, [slot]: own };
  }
}
