import type { ClaimedTurn, TurnExtras } from '@app/agents';
import type { QueryResult, ResultNotes } from '@app/tabular';
import { z } from 'zod';

export type TurnFailure = { code: string; detail: string };

const foundResult = z.object({
  status: z.enum(['completed', 'clarification', 'failed']),
  sql: z.string().nullable(),
  result: z.custom<QueryResult>((value) => typeof value === 'object').nullable(),
  /** As the client gets them. */
  sources: z.array(z.unknown()),
  mgid: z.string().nullable(),
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
  answeredBy: z.string(),
  /** Whether a model puts the result into words. */
  isTold: z.boolean(),
  /** Turns that began before there were notes have none. */
  notes: z.object({ notice: z.string(), facts: z.string() }).default({ notice: '', facts: '' }),
});
type Found = z.infer<typeof foundResult>;

/** What a question to tables came to, before it is put into words; kept with the turn. */
export class FoundResult {
  constructor(private readonly found: Found) {}

  static of(state: Record<string, unknown> | null): FoundResult | null {
    return state && new FoundResult(foundResult.parse(state));
  }

  get sources(): readonly unknown[] {
    return this.found.sources;
  }

  get answeredBy(): string {
    return this.found.answeredBy;
  }

  get failure(): TurnFailure | null {
    return this.found.error;
  }

  /** Whether its text can be made again by the model. */
  get canBeToldOn(): boolean {
    return this.found.isTold;
  }

  /** Of one that can be told. */
  get statement(): { sql: string; result: QueryResult; notes: ResultNotes } {
    return { sql: this.found.sql!, result: this.found.result!, notes: this.found.notes };
  }

  toState(): Record<string, unknown> {
    return { ...this.found };
  }

  /** With the whole JSON answer of the database store (docs/contract/tables.md#questions). */
  toExtras({ id, sessionId }: ClaimedTurn, answer: string, failure: TurnFailure | null): TurnExtras {
    const { status, sql, result, mgid } = this.found;
    return {
      ...(mgid === null ? {} : { mgid }),
      reply: {
        uid: id,
        status: failure ? 'failed' : status,
        answer,
        sql,
        columns: result?.columns ?? [],
        rows: result?.rows ?? [],
        row_count: result?.rows.length ?? 0,
        truncated: result?.truncated ?? false,
        mgid,
        error: failure?.detail ?? null,
        code: failure?.code ?? null,
        chat_session_id: sessionId,
      },
    };
  }
}
