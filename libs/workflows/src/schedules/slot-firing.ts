import { newTimeOrderedId, toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import { Gates, SubscriptionExpiredError } from '@app/entitlements';
import { Outbox } from '@app/queues';
import { SLOT_KEY } from '@app/workflow-definition';
import type { DataSource, EntityManager } from 'typeorm';
import type { RunAnnouncer } from '../runs/run-announcer.js';
import type { OverlapPolicy, ScheduleRecord, ScheduleState } from './schedule-record.js';

/** The plan that a step replaces, and the one that it makes. Times in milliseconds. */
export interface Advance {
  version: number;
  expected: number;
  next: number | null;
  due: number | null;
  /** Slots that were passed over because their window had closed. */
  missed: number;
  state: ScheduleState;
  error: string | null;
}

/** What happens to a schedule in one statement: its plan moves on, or a slot fires, or both. */
export interface Step {
  schedule: ScheduleRecord;
  /** Null: by hand, and the plan stays. */
  advance: Advance | null;
  /** Milliseconds; null: nothing fires. */
  slot: number | null;
  policy: OverlapPolicy;
  source: 'due' | 'run' | 'backfill';
  userId: number | null;
}

/**
 * `concurrent` is a run beside the current one; `stale`: the plan is another by now; `duplicate`: the slot has fired
 * before; `gone`: the workflow is deleted or in the trash; `not_in_plan`: the owner's plan refuses it.
 */
export type StepOutcome =
  | 'started'
  | 'concurrent'
  | 'queued'
  | 'skipped'
  | 'queue_full'
  | 'owner_inactive'
  | 'not_in_plan'
  | 'duplicate'
  | 'stale'
  | 'advanced'
  | 'gone';

interface FiredRow {
  place: number;
  outcome: StepOutcome;
  run_version: number | null;
  outbox_id: string | null;
}

const EXPIRED = 'The subscription of the owner has expired.';
const NOT_IN_PLAN = 'The plan of the owner does not include workflows.';

/** Carries steps out: slot, plan and run are one commit, and the jobs are added right after it. */
export class SlotFiring {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly announcer: RunAnnouncer,
    private readonly gates: Gates,
    private readonly queueLimit: number,
  ) {}

  /**
   * Steps of one schedule are taken in their order.
   * @param within the transaction that carries them out; by itself when absent
   * @returns what became of each, in the order given
   */
  async fire(
    steps: readonly Step[],
    within: <T>(carryOut: (db: EntityManager) => Promise<T>) => Promise<T> = (carryOut) =>
      carryOut(this.dataSource.manager),
  ): Promise<StepOutcome[]> {
    if (steps.length === 0) return [];
    const messages = steps.map(() => this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0 }));
    const refusals = await this.refusalsOf(steps);
    const rows = await within((db) =>
      db.query<FiredRow[]>('SELECT * FROM workflow_fire_slots($1::json, $2)', [
        toJsonText(
          steps.map(({ schedule, advance, slot, policy, source, userId }, place) => ({
            place,
            schedule: schedule.id,
            workflow: schedule.workflowId,
            advance,
            slot,
            policy,
            source,
            userId,
            refusal: refusals.get(schedule.workflowId) ?? null,
            payload: slot === null ? null : payloadOf(schedule, slot, source),
            id: messages[place]!.payload.runId,
            message: messages[place],
          })),
        ),
        this.queueLimit,
      ]),
    );
    const jobs = rows.flatMap(({ place, outbox_id: id }) => (id ? [this.outbox.adopt(messages[place]!, id)] : []));
    this.outbox.publishSoon(jobs);
    for (const { place, run_version: version } of rows)
      if (version !== null) this.announcer.nodesChanged(steps[place]!.schedule.workflowId, version);
    return rows.toSorted((a, b) => a.place - b.place).map(({ outcome }) => outcome);
  }

  /** Why workflows may not begin, by their ids: the plans of their owners. */
  private async refusalsOf(steps: readonly Step[]): Promise<ReadonlyMap<string, string>> {
    const refusals = new Map<string, string>();
    if (this.gates.areOpen) return refusals;
    const owners = await this.dataSource.query<{ id: string; owner_id: number }[]>(
      'SELECT id, owner_id FROM workflows WHERE id = ANY($1::uuid[])',
      [[...new Set(steps.map(({ schedule }) => schedule.workflowId))]],
    );
    for (const { id, owner_id: ownerId } of owners) {
      const refusal = await this.gates.refusalFor(ownerId, 'flowapps');
      if (refusal) refusals.set(id, refusal instanceof SubscriptionExpiredError ? EXPIRED : NOT_IN_PLAN);
    }
    return refusals;
  }
}

function payloadOf({ id, name, payload, timezone }: ScheduleRecord, slot: number, source: Step['source']): object {
  return { ...payload, [SLOT_KEY]: { id, name, slot_time: new Date(slot).toISOString(), timezone, source } };
}
