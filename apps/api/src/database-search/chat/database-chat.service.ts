import { BadGatewayError, InvalidRequestError } from '@app/common';
import type { AnswerStream } from '@app/integrations';
import { TableQuestions, type TableAnswer } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Charts } from '../../charts/charts.js';
import type { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { TabularTurns, type TabularTurn } from '../../tabular-chats/tabular-turns.js';
import { Thoughts } from '../../tabular-chats/thoughts.js';
import type { DatabaseChatResponse } from './database-chat.dto.js';

type Failure = NonNullable<TableAnswer['error']>;

/** One question to imported tables, answered whole. */
@Injectable()
export class DatabaseChat {
  constructor(
    private readonly turns: TabularTurns,
    private readonly questions: TableQuestions,
    private readonly thoughts: Thoughts,
    private readonly charts: Charts,
  ) {}

  async reply(userId: number, body: TabularChatRequest, response: Response): Promise<DatabaseChatResponse> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      return await this.turns.run(userId, 'database', body, gone.signal, async (turn) => {
        const { text, usage, error, ...answer } = await this.answer(turn);
        const failed = answer.status === 'failed';
        const value = await this.toResponse(userId, turn, answer, { text, error });
        const status = failed ? ('failed' as const) : ('completed' as const);
        const errorCode = error?.code ?? '';
        return { outcome: { status, answer: text, usage, ...(failed ? { errorCode } : {}) }, value };
      });
    } catch (error) {
      // Nobody reads it. An error, so that no answer is kept for a repeated call; not one that the log is told of.
      if (gone.signal.aborted) throw new InvalidRequestError('The client has gone.', { code: 'client_closed' });
      throw error;
    }
  }

  private async answer(turn: TabularTurn) {
    const answer = await this.questions.ask(turn.question, {
      evidence: false,
      onThought: (thought) => this.thoughts.add(turn.turnId, thought),
    });
    const started = performance.now();
    const { text, error } = await readWhole(answer.answer);
    const thought = { text: error?.detail ?? '', sql: null, rowCount: null };
    const type = error ? ('error' as const) : ('answer' as const);
    await this.thoughts.add(turn.turnId, { type, ...thought, durationMs: Math.round(performance.now() - started) });
    const status = error ? ('failed' as const) : answer.status;
    return { ...answer, status, text, usage: answer.answer.usage(), error: error ?? answer.error };
  }

  private async toResponse(
    ownerId: number,
    { turnId, sessionId, fileUids, startedAt }: TabularTurn,
    { status, sql, result, chart }: Pick<TableAnswer, 'status' | 'sql' | 'result' | 'chart'>,
    { text, error }: { text: string; error: Failure | null },
  ): Promise<DatabaseChatResponse> {
    const mgid =
      chart && result && sql !== null ? await this.charts.add({ ownerId, turnId, chart, result, fileUids, sql }) : null;
    return {
      uid: turnId,
      status,
      answer: text,
      sql,
      columns: result?.columns ?? [],
      rows: result?.rows ?? [],
      row_count: result?.rows.length ?? 0,
      truncated: result?.truncated ?? false,
      mgid,
      error: error?.detail ?? null,
      code: error?.code ?? null,
      chat_session_id: sessionId,
      duration_ms: Math.round(performance.now() - startedAt),
    };
  }
}

/** A model that breaks off is a failed answer (document 3, B6), with the rows that were found. */
async function readWhole(stream: AnswerStream): Promise<{ text: string; error: Failure | null }> {
  let text = '';
  try {
    for await (const piece of stream) text += piece;
    return { text, error: null };
  } catch (error) {
    if (!(error instanceof BadGatewayError)) throw error;
    return { text, error: { code: error.code, detail: error.message } };
  }
}
