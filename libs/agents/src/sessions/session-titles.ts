import { writeTitleJob } from '@app/contracts';
import type { ModelChoice } from '@app/models';
import type { Outbox } from '@app/queues';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';

/** Has new conversations named by a language model; until then their title is the beginning of the question. */
export class SessionTitles {
  private readonly logger = new Logger(SessionTitles.name);

  /** @param isOn whether the deployment wants that. */
  constructor(
    private readonly isOn: boolean,
    private readonly dataSource: DataSource,
    private readonly models: Pick<ModelChoice, 'available'>,
    private readonly outbox: Outbox,
  ) {}

  /** Once, with the first turn of a session. Never throws: the turn is what matters. */
  async askFor(sessionId: number): Promise<void> {
    if (!this.isOn || !this.models.available) return;
    try {
      const receipt = await this.dataSource.transaction(async (tx) => {
        const turns = await tx.query<unknown[]>('SELECT 1 FROM chat_turns WHERE session_id = $1 LIMIT 2', [sessionId]);
        return turns.length === 1 ? this.outbox.enqueue(writeTitleJob, { sessionId }, tx) : null;
      });
      if (receipt) this.outbox.publishSoon([receipt]);
    } catch (error) {
      this.logger.warn(`A conversation keeps its first title: ${String(error)}`);
    }
  }
}
