import { askForSummary, SessionSummaries, summaryInput } from '@app/agents';
import { DomainError } from '@app/common';
import { summariseSessionJob } from '@app/contracts';
import { ModelChoice } from '@app/models';
import { HandlesJob } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { historyTokens, toAgentModel } from '../agent/agent-models.js';

const TIMEOUT_MS = 120_000;
/** Of one job; the next turn asks for more. */
const MAX_ROUNDS = 12;
const READ_SHARE = 0.5;

/** Puts the older turns of long conversations in short, with the model that the conversation has. */
@Injectable()
export class SummaryWriter {
  private readonly logger = new Logger(SummaryWriter.name);

  constructor(
    private readonly summaries: SessionSummaries,
    private readonly models: ModelChoice,
  ) {}

  @HandlesJob(summariseSessionJob)
  async summarise({ sessionId }: { sessionId: number }): Promise<void> {
    const found = await this.summaries.findModel(sessionId);
    if (!found) return;
    const { userId, turnId } = found;
    try {
      const chosen = await this.models.findOfTurn(found);
      if (!chosen) return;
      const model = toAgentModel(chosen, { userId, purpose: 'summary', turnId });
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const most = model.contextTokens * READ_SHARE;
        const turns = await this.summaries.next(sessionId, userId, historyTokens(model), most);
        if (!turns) return;
        const text = await askForSummary(model, summaryInput(turns.notes, turns.messages, model.contextTokens), signal);
        if (text === '') return;
        await this.summaries.keep(sessionId, turns, text);
      }
    } catch (error) {
      // What does not fit is left out until the next turn asks again.
      if (!(error instanceof DomainError) && !isTimeout(error)) throw error;
      this.logger.warn(`A conversation is not summarised yet: ${error.message}`);
    }
  }
}

function isTimeout(error: unknown): error is Error {
  return error instanceof Error && error.name === 'TimeoutError';
}
