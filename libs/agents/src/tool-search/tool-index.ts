import { analyse } from '@app/retrieval';
import { consonantsOf } from './consonants.js';
import { isKnownWord, wordsFor } from './word-groups.js';

/** What is known of a tool by its definition. */
export interface SearchedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  /** Of the server that it belongs to, as people call it. */
  server?: string | undefined;
}

/** How much a word counts by where it stands. */
const NAME = 3;
const TITLE = 2;
const DESCRIPTION = 1.5;
const SERVER = 2;
const PARAMETER = 0.6;
/** Of the weight of a word that is there once; more of it adds less and less. */
const SATURATION = 1.5;
/** Short names have few words: each says more. */
const LENGTH = 0.25;
/** What fits much of the wish goes before what fits one rare word of it. */
const COVERAGE = 0.3;
const EXACT = 1_000;
const MAX_DESCRIPTION = 600;
const ARABIC = /^[\u0600-\u06ff]+$/;

interface Entry<T> {
  tool: T;
  words: Map<string, number>;
  length: number;
}

/** Finds tools by what they do, in words: of the definitions, of daily work, in English and in Arabic. */
export class ToolIndex<T extends SearchedTool> {
  private readonly entries: readonly Entry<T>[];
  private readonly having = new Map<string, number>();
  /** Words of names, by their consonants. */
  private readonly spelt = new Map<string, Set<string>>();
  private readonly average: number;

  constructor(readonly tools: readonly T[]) {
    this.entries = tools.map((tool) => toEntry(tool));
    for (const { words } of this.entries)
      for (const word of words.keys()) this.having.set(word, (this.having.get(word) ?? 0) + 1);
    this.average = this.entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, tools.length);
    for (const { name, server = '' } of tools)
      for (const word of analyse(`${wordsIn(name)} ${server}`)) this.addSpelling(word);
  }

  /** Scores in the order of the tools; 0 where no word fits. Those that are named come first. */
  scores(query: string): number[] {
    const concepts = this.conceptsOf(query);
    const named = new Set(query.toLowerCase().split(/[\s,;]+/));
    return this.entries.map((entry) => {
      const { score, covered } = this.fit(entry, concepts);
      return score * (1 - COVERAGE + COVERAGE * covered) + (named.has(entry.tool.name.toLowerCase()) ? EXACT : 0);
    });
  }

  /** How much of a wish the tool covers that covers most of it, 0 to 1. */
  coverage(query: string): number {
    const concepts = this.conceptsOf(query);
    return Math.max(0, ...this.entries.map((entry) => this.fit(entry, concepts).covered));
  }

  private conceptsOf(query: string): Map<string, number>[] {
    return [...new Set(analyse(withoutIdioms(wordsIn(query))))].map((term) => this.meanings(term));
  }

  private fit({ words, length }: Entry<T>, concepts: readonly Map<string, number>[]) {
    const around = SATURATION * (1 - LENGTH + (LENGTH * length) / this.average);
    let fitting = 0;
    const score = concepts.reduce((sum, meanings) => {
      let best = 0;
      for (const [word, weight] of meanings) {
        const there = words.get(word);
        if (there !== undefined) best = Math.max(best, (weight * this.rarity(word) * there) / (there + around));
      }
      if (best > 0) fitting += 1;
      return sum + best;
    }, 0);
    return { score, covered: fitting / Math.max(1, concepts.length) };
  }

  private meanings(term: string): Map<string, number> {
    const words = wordsFor(term);
    if (!ARABIC.test(term) || isKnownWord(term)) return words;
    for (const word of this.spelt.get(consonantsOf(term)) ?? []) words.set(word, 1);
    return words;
  }

  private rarity(word: string): number {
    return Math.log(1 + this.tools.length / ((this.having.get(word) ?? 0) + 0.5));
  }

  private addSpelling(word: string): void {
    const consonants = consonantsOf(word);
    if (consonants.length < 2 || !/^[a-z]/.test(word)) return;
    this.spelt.set(consonants, (this.spelt.get(consonants) ?? new Set()).add(word));
  }
}

function toEntry<T extends SearchedTool>(tool: T): Entry<T> {
  const words = new Map<string, number>();
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, unknown> };
  const add = (text: string, weight: number) => {
    for (const word of new Set(analyse(text))) words.set(word, (words.get(word) ?? 0) + weight);
  };
  add(wordsIn(tool.name), NAME);
  add(wordsIn(tool.title), TITLE);
  add(tool.server ?? '', SERVER);
  add(wordsIn(tool.description.slice(0, MAX_DESCRIPTION)), DESCRIPTION);
  add(wordsIn(Object.keys(properties).slice(0, 30).join(' ')), PARAMETER);
  return { tool, words, length: [...words.values()].reduce((sum, weight) => sum + weight, 0) };
}

/** What says something else than its words. */
const IDIOMS: readonly [RegExp, string][] = [
  [/\b(?:call|calls|calling) off\b/gi, 'cancel'],
  [/\bset up\b/gi, 'create'],
  [/\bget rid of\b|\bthrow(?:n)? away\b|\bthrew .{0,20}away\b/gi, 'delete'],
  [/\blook(?:ed|ing)? (?:up|for)\b/gi, 'search'],
  [/\blook(?:ed|ing)? (?:over|through)\b/gi, 'review'],
  [/\bfill(?:ed)? in\b/gi, 'update'],
];

function withoutIdioms(text: string): string {
  return IDIOMS.reduce((said, [idiom, meaning]) => said.replaceAll(idiom, meaning), text);
}

/** `listPullRequests` and `list_pull-requests` are three words. */
function wordsIn(text: string): string {
  return text.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll(/[_-]+/g, ' ');
}
