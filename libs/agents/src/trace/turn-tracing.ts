import { derivedId } from '@app/common';
import { type ObservedCall, UsageLedger } from '@app/models';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { CallState } from '../agent/agent-state.js';
import { type PromptDifference, PromptDifferences, toTraced } from './prompt-differences.js';
import { type ToolContent, withinBounds, type ModelContent } from './trace-content.js';
import { type NewEntry, TraceRows } from './trace-rows.js';

export const TRACE_SETTINGS = Symbol('TRACE_SETTINGS');

export interface TraceSettings {
  /** For which what was said is kept; 0: it is not. */
  days: number;
}

const FLUSH_MS = 1_000;
const FLUSH_ROWS = 200;
/** While the database is away; older ones are given up. */
const MAX_ROWS = 2_000;
/** Characters of one turn: of what comes after them there are figures alone. */
const MAX_TURN = 8_000_000;
const MAX_TURNS = 2_000;

interface TurnMemory {
  prompts: PromptDifferences;
  kept: number;
}

/**
 * Keeps what is said in the calls of turns, for their owners. What calls took stands in the ledger alone, under the same
 * ids. It is written in batches beside the answers, and before a turn keeps a step: a step that is kept has its trace.
 */
@Injectable()
export class TurnTracing implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(TurnTracing.name);
  private readonly turns = new Map<string, TurnMemory>();
  private pending = new Map<string, NewEntry>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly rows: TraceRows,
    private readonly ledger: UsageLedger,
    @Inject(TRACE_SETTINGS) private readonly settings: TraceSettings,
  ) {}

  onModuleInit(): void {
    if (this.settings.days > 0) this.ledger.observe((call) => this.addModelCall(call));
  }

  /** Calls of the newest step, as far as they are; told of them again, it keeps what has come since. */
  addToolCalls(turnId: string, calls: readonly CallState[]): void {
    if (this.settings.days === 0) return;
    for (const call of calls)
      this.add({
        id: derivedId(turnId, call.place),
        turnId,
        kind: 'tool',
        beganAt: call.beganAt === undefined ? new Date() : new Date(call.beganAt),
        content: this.bounded(turnId, (keep) => toToolContent(call, keep)),
      });
  }

  /** Resolves when all that was told before is written, in the ledger too, or could not be. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    await Promise.all([this.writing, this.ledger.flush()]);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.flush();
  }

  private addModelCall(call: ObservedCall): void {
    const { id, context, beganAt } = call;
    const turnId = context.turnId!;
    const difference = this.memoryOf(turnId).prompts.next(id, call.request);
    const content = this.bounded(turnId, (keep) => toModelContent(call, difference, keep));
    this.add({ id, turnId, kind: 'model', beganAt, content });
  }

  private bounded<T extends ModelContent | ToolContent>(
    turnId: string,
    make: Parameters<typeof withinBounds<T>>[0],
  ): T {
    const memory = this.memoryOf(turnId);
    let kept = 0;
    const measured: typeof make = (keep) => {
      kept = 0;
      return make((text) => {
        const one = keep(text);
        kept += one.text.length;
        return one;
      });
    };
    const content = memory.kept < MAX_TURN ? withinBounds(measured) : withinBounds(measured, 0);
    memory.kept += kept;
    return content;
  }

  private memoryOf(turnId: string): TurnMemory {
    const memory = this.turns.get(turnId) ?? { prompts: new PromptDifferences(), kept: 0 };
    // The one that was used last stands last.
    this.turns.delete(turnId);
    this.turns.set(turnId, memory);
    if (this.turns.size > MAX_TURNS) this.turns.delete(this.turns.keys().next().value!);
    return memory;
  }

  private add(entry: NewEntry): void {
    this.pending.set(entry.id, entry);
    if (this.pending.size >= FLUSH_ROWS) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  private async write(): Promise<void> {
    const batch = this.pending;
    if (batch.size === 0) return;
    this.pending = new Map();
    try {
      await this.rows.write([...batch.values()]);
    } catch (error) {
      this.logger.warn(`Traces of turns could not be written down: ${String(error)}`);
      const newer = [...this.pending].filter(([id]) => !batch.has(id));
      const all = [...[...batch].map(([id, entry]) => [id, this.pending.get(id) ?? entry] as const), ...newer];
      const excess = all.length - MAX_ROWS;
      if (excess > 0) this.logger.error(`${excess} entries of traces are lost.`);
      this.pending = new Map(all.slice(Math.max(0, excess)));
      this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
    }
  }
}

type Keep = Parameters<Parameters<typeof withinBounds>[0]>[0];

function toModelContent(call: ObservedCall, difference: PromptDifference, keep: Keep): ModelContent {
  const { callId, attempt, asked, firstTokenMs, answer } = call;
  const { after, system, tools, messages } = difference;
  return {
    callId,
    attempt,
    asked,
    firstTokenMs,
    reason: answer.reason,
    prompt: {
      after,
      system: system === null ? null : keep(system),
      tools,
      messages: messages.flatMap((message) => toTraced(message, keep)),
    },
    answer: {
      text: keep(answer.text),
      reasoning: keep(answer.reasoning),
      calls: answer.toolCalls.map(({ id, name, input }) => ({ id, name, arguments: keep(JSON.stringify(input)) })),
    },
  };
}

function toToolContent({ call, place, outcome, status, durationMs }: CallState, keep: Keep): ToolContent {
  const ran = durationMs ?? null;
  const ended = outcome?.isError ? (ran === null ? 'refused' : 'failed') : 'completed';
  return {
    place,
    callId: call.id,
    tool: call.name.slice(0, 200),
    arguments: keep(JSON.stringify(call.input)),
    result: outcome ? keep(outcome.output) : null,
    outcome: status === 'done' ? ended : 'waiting',
    durationMs: ran,
  };
}
