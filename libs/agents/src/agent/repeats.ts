import { createHash } from 'node:crypto';
import { undelimit } from '../prompts/delimiters.js';
import type { CallState } from './agent-state.js';
import { digestOf } from './approvals.js';
import type { AgentTool } from './tool.js';

/** What a turn has found out, as far as repetitions are told by it. In the state, so that another worker goes on counting. */
export interface Progress {
  /** How often a call had a result, by both. */
  seen: Record<string, number>;
  /** Steps in a row that brought nothing new. */
  idle: number;
  /** How often the call that is repeated most was answered in the same way, in steps that brought nothing new. */
  most: number;
}

/** Steps in a row without anything new, after which the model is told, and after which the work ends. */
const TOLD_IDLE = 2;
const MAX_IDLE = 5;
/** The same for one call with one result, whatever was between. */
const TOLD_SAME = 3;
const MAX_SAME = 5;
/** Of one turn; the oldest are forgotten. */
const MAX_SEEN = 1_000;
/** Words of thanks are the same for every call; longer ones are contents. */
const SHORT = 200;

const PAGING =
  /^(?:page|offset|cursor|start|skip|from|limit|per_?page|page_?size|page_?token|next|after|before|index)$/i;
/** What is new in every answer and says nothing. */
const VOLATILE =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b|\br_[0-9a-f]{8}\b|\b1[5-9]\d{8}(?:\d{3})?\b|\b\d+(?:\.\d+)? ?ms\b/gi;

const STANDING_STILL =
  'That brought nothing new: the same was found out before. Do something else, or answer with what is known; if it goes on like this, the work ends.';

/** Of a refusal that is another one than those before: it says something, but what was tried does not work. */
const REFUSED_AGAIN =
  'That failed too. Go by what it says, do something else, or answer with what is known; if it goes on like this, the work ends.';

export function newProgress(): Progress {
  return { seen: {}, idle: 0, most: 0 };
}

/** Whether the work has to end because the model goes round in circles. */
export function goesInCircles({ idle, most }: Progress): boolean {
  return idle >= MAX_IDLE || most >= MAX_SAME;
}

/**
 * Takes note of a step whose calls are done, and tells the model when it stands still: in the outcomes, outside of what is
 * marked as data.
 */
export function takeNote(
  progress: Progress,
  calls: readonly CallState[],
  toolOf: (name: string) => AgentTool | undefined,
): Progress {
  const seen = { ...progress.seen };
  let repeated = 0;
  let hasNews = false;
  const told: CallState[] = [];
  const refused = new Set<CallState>();
  for (const call of calls) {
    const marks = marksOf(call, toolOf(call.call.name));
    const counts = marks.map((mark) => (seen[mark] = (seen[mark] ?? 0) + 1));
    const [same = 1] = counts;
    repeated = Math.max(repeated, same);
    const isUnheard = counts.every((count) => count === 1);
    const hasFailed = call.outcome?.isError ?? false;
    hasNews ||= isUnheard && !hasFailed;
    if (isUnheard && hasFailed) refused.add(call);
    if (same >= TOLD_SAME) told.push(call);
  }
  const idle = hasNews ? 0 : progress.idle + 1;
  // Looked at again beside what is new, it does no harm.
  const most = hasNews ? progress.most : Math.max(progress.most, repeated);
  for (const call of idle >= TOLD_IDLE ? calls : told) {
    const { outcome } = call;
    const hint = refused.has(call) ? REFUSED_AGAIN : STANDING_STILL;
    if (outcome) call.outcome = { ...outcome, output: `${outcome.output}\n${hint}` };
  }
  return { seen: Object.fromEntries(Object.entries(seen).slice(-MAX_SEEN)), idle, most };
}

/** What makes a call the same as another one: first with its arguments, then with what they ask for in other words. */
function marksOf({ call, outcome }: CallState, tool: AgentTool | undefined): string[] {
  const { name, input } = call;
  const said = undelimit(outcome?.output ?? '').replaceAll(VOLATILE, '#');
  const marks = [digest('same', digestOf(name, input), said)];
  const paged = withoutPaging(input);
  // Another page that has nothing, or what the one before had.
  if (paged !== null)
    marks.push(digest('page', digestOf(name, paged), said.replaceAll(/\d+/g, isEmpty(said) ? '#' : '$&')));
  // What a person says twice is no repetition.
  if (!tool) return marks;
  if (tool.effectsOf(input) === 'none' || said.length > SHORT) marks.push(digest('result', name, said));
  return marks;
}

/** Null where nothing in them chooses a page. */
function withoutPaging(input: Record<string, unknown>): Record<string, unknown> | null {
  const others = Object.entries(input).filter(([name]) => !PAGING.test(name));
  return others.length === Object.keys(input).length ? null : Object.fromEntries(others);
}

function isEmpty(said: string): boolean {
  return said.length < SHORT && /\[\s*\]|\bnull\b|\bno (?:more|further|results?|items?)\b/i.test(said);
}

function digest(...parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
