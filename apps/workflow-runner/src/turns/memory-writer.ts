import {
  findAnsweredTurn,
  holdsSecret,
  isFirstHearing,
  type JudgedMemory,
  judgeMessage,
  memoriesToJudge,
  memoryKey,
  MemoryRows,
  MemorySearch,
  type AnsweredTurn,
  type Reminded,
} from '@app/agents';
import { DomainError } from '@app/common';
import { rememberTurnJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { ModelChoice } from '@app/models';
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
    private readonly search: MemorySearch,
    private readonly models: ModelChoice,
    private readonly live: LiveBus,
  ) {}

  @HandlesJob(rememberTurnJob)
  async remember({ turnId }: { turnId: string }): Promise<void> {
    const turn = await findAnsweredTurn(this.dataSource, turnId);
    if (!turn || !(await this.rows.isEnabled(turn.userId))) return;
    const model = await this.models.findOfTurn(turn);
    if (!model) return;
    try {
      const { onPremises } = model.descriptor;
      const { asked, memories } = await this.search.compare({ userId: turn.userId, onPremises }, turn.question);
      const known = memoriesToJudge(asked, memories);
      const judgement = await judgeMessage(model, turn.question, known, {
        signal: AbortSignal.timeout(TIMEOUT_MS),
        usage: { userId: turn.userId, purpose: 'memory', turnId },
      });
      const decisions = await this.keep(turnId, { userId: turn.userId, onPremises }, judgement.memories);
      const cued = judgement.cued.map(({ memory, cues }) => ({ ...memory, cues }));
      if (cued.length > 0) await this.rows.addCues(turn.userId, cued);
      for (const decision of decisions) this.announce(turn, turnId, decision);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.logger.warn(`Nothing is remembered of the turn ${turnId}: ${error.message}`);
    }
  }

  /** Once per turn, however often a job asks for it. */
  private keep(turnId: string, of: Reminded, judged: readonly JudgedMemory[]): Promise<Decision[]> {
    return this.dataSource.transaction(async (tx) => {
      if (!(await isFirstHearing(tx, turnId))) return [];
      const decisions: Decision[] = [];
      for (const each of judged)
        if (memoryKey(each.text) !== '')
          decisions.push({ judged: each, memoryId: await this.decide(tx, of, turnId, each) });
      return decisions;
    });
  }

  private async decide(
    tx: EntityManager,
    { userId, onPremises: staysOnPremises }: Reminded,
    turnId: string,
    judged: JudgedMemory,
  ): Promise<string | null> {
    const { action, kind, text, confidence, supersedes, cues } = judged;
    if (action === 'skip' || confidence < MIN_CONFIDENCE || holdsSecret(text)) return null;
    const about = { kind, text, confidence, cues, staysOnPremises };
    const memory = { ...about, sourceTurnId: turnId, supersedes: supersedes?.id ?? null };
    const kept = await this.rows.keep(tx, userId, memory);
    return kept === null || kept.wasKnown ? null : kept.id;
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
