import type { Features } from './features.js';
import { expectedKind, isMeasured, saysKind, type AnswerKind } from './answer-kinds.js';
import type { QuotedPassage } from './quoted-passage.js';
import { questionTerms, type QuestionTerm } from '../questions/question-terms.js';
import { withoutEnvelope } from './envelope.js';
import { showsKind } from './shown-kinds.js';
import { readingOf } from '../questions/reading.js';
import { withoutAsked } from './without-asked.js';
import { askedThing, saysWhat, termsOfThing } from './definitions.js';
import { askedDay, isOfAnotherDay } from '../text/days.js';
import { isLogLine } from '../text/blocks.js';
import { closeness, isBeside, MATCH, matcher } from './term-match.js';
import { joinStatements, statementsOf, type Statement } from './statements.js';

export interface Candidate {
  passage: number;
  statement: Statement;
  /** How much of each term of the question it has itself, 0 to 1. */
  own: number[];
  features: Features;
  /** It says what the thing is of which the question asks that. */
  defines: boolean;
  /** It has each word of the question, itself, above it or in what its document is about. */
  hasAll: boolean;
}

/** What a word counts for that does not stand in the statement itself. */
const NEAR = { under: 1, about: 0.6, beside: 0.5, passage: 0.25 };
/** The same for names and years: what a document is about, all of it is about. */
const NAMED = { under: 1, about: 1, beside: 0.9, passage: 0.7, document: 0.4 };
/** Where nothing is dated, what holds may hold for any year. */
const UNDATED = 0.7;
const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/;
/** A document that has a name on so much of it is about it. */
const ABOUT_FROM_SHARE = 0.2;
/** Of a word that says only what kind of answer is wanted, in a statement that has it. */
const SHOWN = 0.75;
const LIGHT = 0.35;
/** What a document is about, all of it is about: these words tell its statements apart no more. */
const TITLE = 0.3;
const BEFORE = 0.4;

export interface Evidence {
  terms: QuestionTerm[];
  weights: number[];
  kind: AnswerKind | null;
  candidates: Candidate[];
  /** In this language nothing but the very words of the question tells what answers it. */
  byWordsAlone: boolean;
  /** Names of the question that none of the documents at hand knows, as they were written. */
  unknown: string[];
}

interface Read {
  statement: Statement;
  passage: number;
  own: number[];
  under: number[];
  beside: number[];
  order: string[];
  /** How well it has what is asked for; a half where that is nothing certain. */
  shown: number;
}

/** All that the passages state, with what speaks for each to be the answer. @param passages best first */
export function gatherEvidence(question: string, passages: readonly QuotedPassage[]): Evidence {
  const reading = readingOf(question, passages[0]?.text);
  const analyse = (text: string) => reading.analyse(text);
  const asked = question.trim().split('\n').at(-1)!;
  const thing = askedThing(asked, reading);
  const terms = termsOfThing(questionTerms(question, reading), thing);
  const kind = expectedKind(asked);
  const numbers = new Set(question.match(/\d+(?:[.,]\d+)*/g));
  const names = new Set(terms.flatMap(({ isName, word }) => (isName ? [word.toLowerCase()] : [])));
  const isKindWord = terms.map((term) => kind !== null && term.terms.some((each) => saysKind(kind, each, reading)));
  const known = passages.map(({ text, about }) => [new Set(analyse(text)), new Set(analyse(about))] as const);
  const match = matcher(
    terms,
    known.flatMap(([text, about]) => [...text, ...about]),
    reading,
  );
  const inPassage = known.map(([text]) => match(text));
  const inAbout = known.map(([, about]) => match(about));
  const day = askedDay(asked);
  // An entry of a log is of its day alone.
  const isOther = ({ says }: Statement) => day !== null && isLogLine(says) && isOfAnotherDay(says, day);
  const read = passages.flatMap(({ text, about }, passage) => {
    const header = about.split(/[\n·]/).findLast((line) => line.includes(' | ')) ?? '';
    const statements = statementsOf(text, header).filter((statement) => !isOther(statement));
    return statements.map((statement): Read => {
      const order = analyse(statement.says);
      const [own, under, beside] = [order, analyse(statement.under), analyse(statement.beside)].map((each) =>
        match(new Set(each)),
      );
      const says = kind === 'date' ? withoutEnvelope(statement.says, asked) : statement.says;
      const shown = kind === null ? 0.5 : showsKind(kind, withoutAsked(says, numbers, names));
      const has = own!.map((much, at) => (shown === 1 && isKindWord[at] ? Math.max(much, SHOWN) : much));
      return { statement, passage, own: has, under: under!, beside: beside!, order, shown };
    });
  });
  const weights = terms.map((term, at) => {
    const found = read.filter(({ own }) => own[at]! >= MATCH).length;
    const rare = Math.log(1 + (read.length + 0.5) / (found + 0.5));
    const isTitle = inAbout.some((about) => about[at]! >= MATCH || (term.goesOn && about[at - 1]! >= MATCH));
    return rare * (term.isLight ? LIGHT : 1) * (term.isBefore ? BEFORE : 1) * (isTitle ? TITLE : 1);
  });
  const inDocument = passages.map((passage) =>
    terms.map((term, at) => knows(passage, passages, term, at, inPassage, inAbout)),
  );
  const all = Math.max(
    weights.reduce((sum, weight) => sum + weight, 0),
    1e-9,
  );
  const share = (of: (at: number) => number) => weights.reduce((sum, weight, at) => sum + weight * of(at), 0) / all;
  const elsewhere = share(
    (at) =>
      1 - Math.max(0, ...inDocument.map((document) => (document[at]! > 0 ? 1 : 0)), ...inPassage.map((of) => of[at]!)),
  );
  const isAttribute = terms.map((term) => !term.isName && !term.isLight && !term.isBefore);
  const attributes = weights.reduce((total, weight, at) => total + (isAttribute[at] ? weight : 0), 0);
  const attribute = (of: (at: number) => number) =>
    attributes === 0
      ? 1
      : weights.reduce((total, weight, at) => total + (isAttribute[at] ? weight * of(at) : 0), 0) / attributes;
  const isTopic = terms.map((_, at) => isAttribute[at]! && !isKindWord[at]);
  const topics = weights.reduce((total, weight, at) => total + (isTopic[at] ? weight : 0), 0);
  const topic = (of: (at: number) => number) =>
    topics === 0 ? 1 : weights.reduce((total, weight, at) => total + (isTopic[at] ? weight * of(at) : 0), 0) / topics;
  const found = (at: number) => Math.max(0, ...inPassage.map((of) => of[at]!), ...inAbout.map((of) => of[at]!));
  const topicAbsent = 1 - topic((at) => (found(at) >= MATCH ? 1 : 0));
  const absent = 1 - attribute((at) => (found(at) >= MATCH ? 1 : 0));
  const dated = passages.map(
    ({ text, about, shares }) => YEAR.test(text) || YEAR.test(about) || (shares?.size ?? 0) > 0,
  );
  const focus = terms.findIndex(({ isFocus }) => isFocus);

  const pairs = read.flatMap((second, at) => {
    const first = read[at - 1];
    if (!first || !second.statement.goesOn || first.passage !== second.passage) return [];
    if (!complete(first, second)) return [];
    const statement = joinStatements(passages[first.passage]!.text, first.statement, second.statement);
    const own = first.own.map((much, term) => Math.max(much, second.own[term]!));
    const under = first.under;
    return statement
      ? [
          {
            statement,
            passage: first.passage,
            own,
            under,
            beside: first.beside,
            order: [...first.order, ...second.order],
            shown: Math.max(first.shown, second.shown),
          },
        ]
      : [];
  });
  const candidates = [...read, ...pairs].map((candidate): Candidate => {
    const { statement, passage, own, under, beside, order, shown } = candidate;
    const near = terms.map((_, at) =>
      Math.max(
        own[at]!,
        NEAR.under * under[at]!,
        NEAR.about * inAbout[passage]![at]!,
        NEAR.beside * beside[at]!,
        NEAR.passage * inPassage[passage]![at]!,
      ),
    );
    const named = (isYear: boolean) =>
      Math.min(
        1,
        ...terms.flatMap((term, at) =>
          term.isName && term.isYear === isYear && !term.isBefore
            ? [
                isYear && !dated[passage]
                  ? UNDATED
                  : Math.max(
                      own[at]!,
                      NAMED.under * under[at]!,
                      NAMED.about * inAbout[passage]![at]!,
                      NAMED.beside * beside[at]!,
                      NAMED.passage * inPassage[passage]![at]!,
                      inDocument[passage]![at]!,
                    ),
              ]
            : [],
        ),
      );
    const lacking = terms.map(
      (_, at) =>
        (weights[at]! / all) * (1 - Math.max(own[at]!, near[at]!, inPassage[passage]![at]!, inAbout[passage]![at]!)),
    );
    return {
      passage,
      statement,
      own,
      defines:
        thing !== null && thing.every((each) => order.includes(each)) && saysWhat(thing, statement.says, reading),
      hasAll: terms.every((_, at) => Math.max(own[at]!, under[at]!, inAbout[passage]![at]!) >= MATCH),
      features: [
        share((at) => own[at]!),
        share((at) => near[at]!),
        lacking.reduce((sum, each) => sum + each, 0),
        Math.max(0, ...lacking),
        named(false),
        named(true),
        shown,
        kind === null ? 0 : 1 - shown,
        closeness(terms, order, match),
        1 / Math.max(1, terms.length),
        passage / Math.max(1, passages.length),
        Math.max(0, 1 - new Set(order).size / 5),
        elsewhere,
        focus < 0 ? 0.5 : near[focus]!,
        focus < 0 ? 0.5 : own[focus]!,
        focus < 0 || !COUNTED.has(kind!) ? 0.5 : isBeside(order, match, focus, numbers) ? 1 : 0,
        named(false) < 0.35 ? 1 : 0,
        read.includes(candidate) ? 0 : 1,
        focus < 0 ? 0 : (1 - near[focus]!) * (1 - shown),
        kind === 'number' && focus >= 0 ? 1 - own[focus]! : 0,
        attribute((at) => near[at]!),
        attribute((at) => own[at]!),
        absent,
        statement.isList ? 1 - attribute((at) => Math.max(own[at]!, under[at]!)) : 0,
        topic((at) => near[at]!),
        topic((at) => Math.max(own[at]!, under[at]!)),
        topicAbsent,
        kind === null ? 1 - topic((at) => near[at]!) : 0,
        kind !== null && shown === 1 ? 1 - topic((at) => near[at]!) : 0,
        kind === 'number' && focus >= 0 && !isBeside(order, match, focus, numbers) ? 1 : 0,
        kind !== null && isMeasured(kind) && shown < 0.5 ? 1 : 0,
      ],
    };
  });
  const unknown = terms.filter(
    (term, at) => term.isName && !term.isYear && inDocument.every((document) => document[at] === 0),
  );
  const byWordsAlone = reading.other !== null;
  return { terms, weights, kind, candidates, byWordsAlone, unknown: unknown.map(({ word }) => word) };
}

/** Whether two sentences have together what neither has alone: words of the question, or these and what is asked for. */
function complete(first: Read, second: Read): boolean {
  const adds = (one: Read, other: Read) => one.own.some((much, at) => much >= MATCH && other.own[at]! < MATCH);
  if (adds(first, second)) return adds(second, first) || first.shown < second.shown;
  return adds(second, first) && second.shown < first.shown;
}

/** How far the document of a passage is about a term: from 0, it does not have it, to 1. */
function knows(
  passage: QuotedPassage,
  passages: readonly QuotedPassage[],
  term: QuestionTerm,
  at: number,
  inPassage: readonly number[][],
  inAbout: readonly number[][],
): number {
  const siblings = passages.flatMap(({ document }, index) => (document === passage.document ? [index] : []));
  if (siblings.some((index) => inAbout[index]![at]! >= MATCH)) return NAMED.about;
  const counted = Math.min(...term.terms.map((each) => passage.shares?.get(each) ?? 0));
  if (counted > 0) return Math.max(NAMED.document, Math.min(1, counted / ABOUT_FROM_SHARE));
  return siblings.some((index) => inPassage[index]![at]! >= MATCH) ? NAMED.passage : 0;
}

const COUNTED: ReadonlySet<AnswerKind> = new Set(['number', 'money', 'share', 'duration']);
