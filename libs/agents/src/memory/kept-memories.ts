import { rememberTurnJob } from '@app/contracts';
import { ChosenModels } from '@app/integrations';
import { Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Memories, type Memory, type MemoryRoom, type Reminded } from '../agent/memories.js';
import { MemoryRows } from './memory-rows.js';
import { MemorySearch } from './memory-search.js';
import { othersWithRoom } from './other-memories.js';
import { byWeight, recalledMemories } from './rank-memories.js';

/** Long-term memory in Postgres. What is worth keeping is judged after the turn, as a job: no answer waits for it. */
@Injectable()
export class KeptMemories extends Memories {
  private readonly logger = new Logger(KeptMemories.name);

  constructor(
    private readonly rows: MemoryRows,
    private readonly search: MemorySearch,
    private readonly outbox: Outbox,
    private readonly dataSource: DataSource,
    private readonly models: ChosenModels,
  ) {
    super();
  }

  async recall(reminded: Reminded, question: string, room: MemoryRoom): Promise<Memory[]> {
    try {
      if (!(await this.rows.isEnabled(reminded.userId))) return [];
      const { asked, memories } = await this.search.compare(reminded, question);
      const fitting = recalledMemories(asked, memories);
      const recalled = [...fitting, ...othersWithRoom(fitting, byWeight(memories), room)];
      if (recalled.length > 0) await this.rows.noteRecalled(recalled.map(({ id }) => id));
      return recalled.map(({ id, kind, text, confidence, heard }) => ({ id, kind, text, confidence, heard }));
    } catch (error) {
      this.logger.warn(`A turn does without memories: ${String(error)}`);
      return [];
    }
  }

  /** As a job, whose decisions are told over the conversation's channel. */
  async consider(userId: number, turnId: string): Promise<void> {
    try {
      if (!this.models.available || !(await this.rows.isEnabled(userId))) return;
      const receipt = await this.dataSource.transaction((tx) => this.outbox.enqueue(rememberTurnJob, { turnId }, tx));
      this.outbox.publishSoon([receipt]);
    } catch (error) {
      this.logger.warn(`Nothing is remembered of the turn ${turnId}: ${String(error)}`);
    }
  }
}
