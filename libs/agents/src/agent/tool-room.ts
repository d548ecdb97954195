import type { ModelTool } from '@app/integrations';
import { toBriefTool, toModelTool } from './tool-forms.js';
import { estimateToolTokens } from './tokens.js';
import type { AgentTool } from './tool.js';

/** Of what a model reads and writes in one call: for own tools, for those of servers, and for all with what was found. */
const OWN_SHARE = 1 / 4;
const CONNECTED_SHARE = 1 / 8;
const ALL_SHARE = 1 / 2;
/** For what was found, whatever else there is. */
const FOUND_SHARE = 1 / 8;
/** Of what finds those that are not shown, and of what asks the user. */
const FINDER_TOKENS = 450;

/** Which of its tools a model is shown. */
export interface ShownTools {
  /** In the order of all. */
  first: readonly AgentTool[];
  /** Found on demand: own ones, then those of servers. */
  deferred: readonly AgentTool[];
  form(tool: AgentTool): ModelTool;
}

export interface ToolRoom {
  /** What the model reads and writes in one call, in tokens. */
  contextTokens: number;
  /** What tools of servers may take in any window, in tokens. */
  shownTokens: number;
  /** Names of own tools that are shown before others where there is no room for all, the first first. */
  first: readonly string[];
}

/**
 * Own tools are shown whole as long as they take a quarter of the window at most. Beyond that arguments are no longer
 * explained, and where that is not enough the tools come on demand that are last in line, as those of servers do once
 * they take more than an eighth.
 * @param own without those that are there in any case
 */
export function toolsFor(own: readonly AgentTool[], connected: readonly AgentTool[], room: ToolRoom): ShownTools {
  const { contextTokens, shownTokens } = room;
  const ownTokens = contextTokens * OWN_SHARE;
  const form = sizeOf(own, toModelTool) <= ownTokens ? toModelTool : toBriefTool;
  const isOwnShown = sizeOf(own, form) <= ownTokens;
  const shown = isOwnShown ? own : firstOf(own, ownTokens - FINDER_TOKENS, form, room.first);
  const isConnectedShown = sizeOf(connected, form) <= Math.min(shownTokens, contextTokens * CONNECTED_SHARE);
  return {
    first: [...shown, ...(isConnectedShown ? connected : [])],
    deferred: [...own.filter((tool) => !shown.includes(tool)), ...(isConnectedShown ? [] : connected)],
    form,
  };
}

/**
 * Of the tools that were found or called, those that there is room for, in the same order: those that this turn has
 * called before others, then the newest, and one in any case.
 * @param taken tokens of what is shown beside them
 */
export function foundWithin(
  found: readonly AgentTool[],
  form: (tool: AgentTool) => ModelTool,
  { contextTokens, taken, called }: { contextTokens: number; taken: number; called: ReadonlySet<string> },
): ModelTool[] {
  const kept = new Set<AgentTool>();
  let left = Math.max(contextTokens * ALL_SHARE - taken, contextTokens * FOUND_SHARE);
  const newest = found.toReversed();
  for (const tool of [...newest.filter(({ name }) => called.has(name)), ...newest]) {
    const size = sizeOf([tool], form);
    if (kept.has(tool) || (size > left && kept.size > 0)) continue;
    kept.add(tool);
    left -= size;
  }
  return found.filter((tool) => kept.has(tool)).map(form);
}

function firstOf(
  own: readonly AgentTool[],
  tokens: number,
  form: (tool: AgentTool) => ModelTool,
  first: readonly string[],
): AgentTool[] {
  const placeOf = ({ name }: AgentTool) => (first.includes(name) ? first.indexOf(name) : first.length);
  const kept = new Set<AgentTool>();
  let left = tokens;
  for (const tool of own.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const size = sizeOf([tool], form);
    // One in any case: with none, a model takes it that there is nothing to call.
    if (size > left && kept.size > 0) continue;
    kept.add(tool);
    left -= size;
  }
  return own.filter((tool) => kept.has(tool));
}

function sizeOf(tools: readonly AgentTool[], form: (tool: AgentTool) => ModelTool): number {
  return estimateToolTokens(tools.map(form));
}
