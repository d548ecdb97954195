import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { dropSteps } from '../steps/turn-steps.js';
import { TurnWorkLog } from '../work-log/turn-work-log.js';

const BATCH = 50;
/** What somebody held at that moment is looked at again for so long. */
const AGAIN_SECONDS = 600;

/** Turns that were given up because their workers were lost: what they did is kept as that of others that ended. */
@Injectable()
export class GivenUpTurns {
  private doneUntil: Date | null = null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly workLog: TurnWorkLog,
  ) {}

  /** Also of turns that a release before ended, which knew nothing of texts beside states. @returns how many */
  async keepWork(hours: number): Promise<number> {
    const [{ now, from }] = await this.dataSource.query<[{ now: Date; from: Date }]>(
      `SELECT now() AS now, coalesce($1::timestamptz - $2 * interval '1 second', now() - $3 * interval '1 hour') AS "from"`,
      [this.doneUntil, AGAIN_SECONDS, hours],
    );
    let kept = 0;
    for (let found = BATCH; found === BATCH; kept += found) {
      const turns = await this.dataSource.query<{ id: string }[]>(
        `SELECT t.id FROM chat_turns t WHERE t.finished_at >= $1 AND (t.state IS NOT NULL
           OR EXISTS (SELECT FROM chat_turn_steps p WHERE p.turn_id = t.id)) LIMIT ${BATCH}`,
        [from],
      );
      for (const { id } of turns) await this.keepOne(id);
      found = turns.length;
    }
    this.doneUntil = now;
    return kept;
  }

  private keepOne(turnId: string): Promise<void> {
    return this.dataSource.transaction(async (tx) => {
      const [turn] = await tx.query<{ status: string; errorCode: string; told: string }[]>(
        `SELECT status, error_code AS "errorCode", answer AS told FROM chat_turns
         WHERE id = $1 AND finished_at IS NOT NULL FOR NO KEY UPDATE`,
        [turnId],
      );
      if (!turn) return;
      await this.workLog.keep(tx, turnId, turn);
      await dropSteps(tx, turnId);
      await tx.query('UPDATE chat_turns SET state = NULL WHERE id = $1', [turnId]);
    });
  }
}
