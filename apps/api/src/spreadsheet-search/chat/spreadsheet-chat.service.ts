import { BadGatewayError } from '@app/common';
import { TableQuestions } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { framingFor } from '../../chats/answer-framing.js';
import { writeAnswer } from '../../chats/answer-writer.js';
import type { TurnOutcome } from '../../chats/chat-turns.js';
import type { TabularChatRequest } from '../../tabular-chats/tabular-chat.dto.js';
import { TabularTurns, type TabularTurn } from '../../tabular-chats/tabular-turns.js';
import { Thoughts } from '../../tabular-chats/thoughts.js';
import { toSpreadsheetSources } from '@app/agents';

/** One question to spreadsheets, from the checks to the last byte of the streamed answer. */
@Injectable()
export class SpreadsheetChat {
  constructor(
    private readonly turns: TabularTurns,
    private readonly questions: TableQuestions,
    private readonly thoughts: Thoughts,
  ) {}

  async reply(userId: number, body: TabularChatRequest, request: Request, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      await this.turns.run(userId, 'spreadsheet', body, gone.signal, async (turn) => ({
        outcome: await this.answer(turn, request, response, gone.signal),
        value: undefined,
      }));
    } catch (error) {
      // Before its first byte, an answer that nobody waits for ends with the reason of the signal.
      if (!gone.signal.aborted) throw error;
    }
  }

  private async answer(
    turn: TabularTurn,
    request: Request,
    response: Response,
    signal: AbortSignal,
  ): Promise<TurnOutcome> {
    const { turnId, sessionId, question } = turn;
    const answer = await this.questions.ask(question, {
      evidence: true,
      onThought: (thought) => this.thoughts.add(turnId, thought),
    });
    if (answer.error?.code === 'model_error') throw new BadGatewayError(answer.error.detail, { code: 'model_error' });
    const sources = toSpreadsheetSources(answer.result?.evidence ?? [], question.tables);
    const started = performance.now();
    const { error } = answer;
    const ended = (outcome: TurnOutcome): TurnOutcome =>
      error === null ? { ...outcome, sources } : { ...outcome, sources, status: 'failed', errorCode: error.code };
    const outcome = await writeAnswer(response, {
      turnId,
      sessionId,
      sources,
      stream: answer.answer,
      framing: framingFor(request),
      signal,
      keep: async (whole) => {
        const durationMs = Math.round(performance.now() - started);
        await this.thoughts.add(turnId, { type: 'answer', text: '', sql: null, rowCount: null, durationMs });
        await turn.keep(ended(whole));
      },
    });
    return outcome.status === 'completed' ? ended(outcome) : { ...outcome, sources };
  }
}
