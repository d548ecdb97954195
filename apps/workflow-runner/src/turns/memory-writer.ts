import {
  findAnsweredTurn,
  holdsSecret,
  isFirstHearing,
  type JudgedMemory,
  judgeMessage,
  memoryKey,
  MemoryRows,
  type AnsweredTurn,
} from '@app/agents';
import { DomainError } from '@app/common';
import { rememberTurnJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { LanguageModels } from '@app/models';
import { HandlesJob } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

const TIMEOUT_MS = 60_000;
/** What a model is less sure of is not kept. */
const MIN_CONFIDENCE = 0.6;

interface Decision {
  judged: JudgedMemory;
  /** Null: skipped. */
  memoryId: string | null;
}

/** Keeps what a user told in a turn, after the turn. Only their own words are looked at, never documents or results of tools. */
@Injectable()
export class MemoryWriter {
  private readonly logger = new Logger(MemoryWriter.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly rows: MemoryRows,
    private readonly models: LanguageModels,
    private readonly live: LiveBus,
  ) {}

  @HandlesJob(rememberTurnJob)
  async remember({ turnId }: { turnId: string }): Promise<void> {
    const turn = await findAnsweredTurn(this.dataSource, turnId);
    if (!turn || !(await this.rows.isEnabled(turn.userId))) return;
    try {
      const known = await this.rows.listAll(turn.userId);
      const judged = await judgeMessage(this.models.default, turn.question, known, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        usage: { userId: turn.userId, purpose: 'memory', turnId },
      });
      const decisions = await this.keep(turnId, turn.userId, judged);
      for (const decision of decisions) this.announce(turn, turnId, decision);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn(`Nothing is remembered of the turn ${turnId}: ${error.message}`);
    }
  }

  /** Once per turn, however often a job asks for it. */
  private keep(turnId: string, userId: number, judged: readonly JudgedMemory[]): Promise<Decision[]> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await isFirstHearing(tx, turnId))) return [];
      const decisions: Decision[] = [];
      for (const each of judged)
        if (memoryKey(each.text) !== '')
          decisions.push({ judged: each, memoryId: await this.decide(tx, userId, turnId, each) });
      return decisions;
    });
  }

  private async decide(
    tx: EntityManager,
    userId: number,
    turnId: string,
    judged: JudgedMemory,
  ): Promise<string | null> {
    const { action, kind, text, confidence, supersedes } = judged;
    if (action === 'skip' || confidence < MIN_CONFIDENCE || holdsSecret(text)) return null;
    const memory = { kind, text, confidence, sourceTurnId: turnId, supersedes: supersedes?.id ?? null };
    return this.rows.keep(tx, userId, memory);
  }

  /** Frames of docs/contract/chats.md#memories. What has the look of a secret is not even told. */
  private announce({ conversationId, sessionId }: AnsweredTurn, turnId: string, { judged, memoryId }: Decision): void {
    const { text, kind, confidence, supersedes } = judged;
    if (holdsSecret(text)) return;
    const isKept = memoryId !== null;
    const superseded_id = isKept ? (supersedes?.id ?? null) : null;
    const event = { text, kind, memory_id: memoryId, confidence, superseded_id };
    const event_type = isKept ? 'stage:memory_persisted' : 'stage:memory_skipped';
    this.live.publish(`conversation:${conversationId}`, { turnId, afterwards: { sessionId, event_type, event } });
  }
}
