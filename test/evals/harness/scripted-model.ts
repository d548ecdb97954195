import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Asked, ScriptedLlm, type ScriptedAnswer } from '../../support/scripted-llm.js';
import { canonicalText, fingerprints } from './canonical.js';
import type { Step, Task, TaskTurn } from './task.js';

const FILE = join(__dirname, '../recordings.json');
const IGNORANT = { en: 'I could not find that.', de: 'Das konnte ich nicht finden.', ar: 'لم أجد ذلك.' };

/** Changes what the model does in a step, to see whether the judge notices. */
export type Mutation = (turn: TaskTurn, at: number, step: Step) => Step;

/**
 * A model that does what tasks say: honest, as it answers only from what it was shown, and obedient to whatever they say
 * it obeys. Its answers were written for requests that stand in `recordings.json`.
 */
export class ScriptedModel {
  readonly llm = new ScriptedLlm();
  /** What went wrong with the script itself. */
  faults: string[] = [];
  mutate: Mutation | null = null;
  /** Whether answers are given though their request is another one than they were written for. */
  isLenient = false;
  private readonly turns = new Map<string, { task: Task; turn: TaskTurn }>();
  private readonly recorded: Record<string, string[]>;
  private readonly now: Record<string, string[]> = {};
  /** Names of the uids of the tenant. */
  names: ReadonlyMap<string, string> = new Map();

  constructor(
    tasks: readonly Task[],
    readonly isRecording: boolean,
  ) {
    for (const task of tasks) for (const turn of task.turns) this.turns.set(turn.say, { task, turn });
    this.recorded = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string[]>) : {};
  }

  async start(): Promise<void> {
    await this.llm.start();
    this.llm.answers((asked) => this.answer(asked));
    this.llm.answersPlain((asked) => this.plain(asked));
  }

  async stop(): Promise<void> {
    await this.llm.stop();
    if (!this.isRecording) return;
    const all = Object.entries({ ...this.recorded, ...this.now }).filter(([key]) => this.has(key.split('#')[0]!));
    const sorted = all
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, parts]) => `${JSON.stringify(key)}: ${JSON.stringify(parts)}`);
    writeFileSync(FILE, `{\n  ${sorted.join(',\n  ')}\n}\n`);
  }

  private has(taskId: string): boolean {
    return [...this.turns.values()].some(({ task }) => task.id === taskId);
  }

  /** Of memories: what the task says is kept of the message. */
  private plain({ question }: Asked): string {
    const found = this.find(question);
    const memories = (found?.turn.keeps ?? []).map(({ text, kind, replaces }) => ({
      action: replaces === null ? 'keep' : 'replace',
      text,
      kind,
      confidence: 0.95,
      cues: [],
      replaces,
    }));
    return JSON.stringify({ memories });
  }

  private answer(asked: Asked): ScriptedAnswer {
    const found = this.find(asked.question);
    if (!found) return this.fault(`Nobody wrote a script for: ${asked.question.slice(-300)}`);
    const { task, turn } = found;
    const { messages } = asked.request;
    const own = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const at = own.filter((message) => message.role === 'assistant' && message.tool_calls).length;
    const last = turn.script.length - 1;
    const scripted = turn.script[Math.min(at, last)]!;
    const step = this.mutate?.(turn, at, scripted) ?? scripted;
    const stale = this.staleness(`${task.id}#${task.turns.indexOf(turn) + 1}.${at + 1}`, asked.results);
    if (stale !== null && !this.isLenient) return this.fault(stale);
    const shown = JSON.stringify(messages);
    const lacking = step.needs.find((word) => !shown.includes(JSON.stringify(word).slice(1, -1)));
    if (lacking !== undefined) return { text: IGNORANT[turn.language ?? task.language] };
    try {
      return this.fill(step, asked.results);
    } catch (error) {
      return this.fault(`${task.id}: ${String(error)}`);
    }
  }

  private find(question: string) {
    // The longest that fits: one may be said within another.
    let found: { task: Task; turn: TaskTurn } | null = null;
    for (const [say, entry] of this.turns)
      if (question.includes(say) && say.length > (found?.turn.say.length ?? 0)) found = entry;
    return found;
  }

  private staleness(key: string, results: readonly string[]): string | null {
    const parts = fingerprints(results, this.names);
    if (this.isRecording && !this.isLenient) this.now[key] = parts;
    if (this.isRecording) return null;
    const known = this.recorded[key];
    if (!known)
      return `${key}: no answer is recorded for this request. If the request is right: EVAL_RECORD=1 npm run evals`;
    const changed = parts.findIndex((part, index) => part !== known[index]);
    if (changed === -1 && parts.length === known.length) return null;
    const now = canonicalText(results[changed] ?? '', this.names);
    return `${key}: the recorded answer is stale, it was written for another request. Result ${changed + 1} is now: ${now.slice(0, 600)}\nIf that is right: EVAL_RECORD=1 npm run evals`;
  }

  private fill({ calls, text }: Step, results: readonly string[]): ScriptedAnswer {
    const uids = new Map([...this.names].map(([uid, name]) => [name, uid]));
    const filled = (value: string) =>
      value
        .replace(/\{\{uid:([^}]+)\}\}/g, (_, name: string) => uids.get(name) ?? missing(`a file called ${name}`))
        .replaceAll(
          '{{handle}}',
          () => /\br_[0-9a-f]{6,}/.exec(results.join())?.[0] ?? missing('a result that is kept'),
        )
        .replace(/\{\{cite:([^}:]+)(?::([^}]+))?\}\}/g, (_, name: string, words = '') =>
          citationOf(results, name, words),
        );
    return {
      text: filled(text),
      calls: calls.map(([name, input]) => ({
        name,
        arguments: JSON.parse(filled(JSON.stringify(input))) as Record<string, unknown>,
      })),
    };
  }

  private fault(why: string): ScriptedAnswer {
    this.faults.push(why);
    return { text: `EVAL FAULT: ${why}` };
  }
}

/** The number that a passage of this document, with these words, can be cited by. */
function citationOf(results: readonly string[], name: string, words: string): string {
  for (const result of results)
    for (const [item] of result.matchAll(/\{[^{}]*\}/g))
      if (item.includes(JSON.stringify(name)) && item.includes(words)) {
        const [, number] = /"citation":\s*(\d+)/.exec(item) ?? [];
        if (number !== undefined) return number;
      }
  return missing(`a passage of ${name} with “${words}”`);
}

function missing(what: string): never {
  throw new Error(`There is not ${what}.`);
}
