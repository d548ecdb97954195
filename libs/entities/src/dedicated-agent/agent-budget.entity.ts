import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DedicatedAgent } from './dedicated-agent.entity.js';

/** What an agent has spent on models in a run, in a job's month, in a day, in a month (docs/contract/dedicated-agent.md#budget). */
@Entity('dedicated_agent_spending')
@Check('dedicated_agent_spending_scope_check', `scope IN ('run', 'job', 'day', 'month')`)
@Index('dedicated_agent_spending_updated_at', ['updatedAt'])
export class DedicatedAgentSpending {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_spending_pkey' })
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_spending_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** `run:<id>`, `job:<id>:2026-11`, `day:2026-11-28`, `month:2026-11`; in UTC. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'dedicated_agent_spending_pkey' })
  key: string;

  @Column('text')
  scope: 'run' | 'job' | 'day' | 'month';

  @Column('numeric', { precision: 20, scale: 10, default: 0 })
  spentCost: string;

  @Column('bigint', { default: 0 })
  spentTokens: string;

  /** The most that calls under way can take. */
  @Column('numeric', { precision: 20, scale: 10, default: 0 })
  reservedCost: string;

  @Column('bigint', { default: 0 })
  reservedTokens: string;

  @Column('int', { default: 0 })
  calls: number;

  /** Of models without a price, which no cap of money binds. */
  @Column('int', { default: 0 })
  unpricedCalls: number;

  /** Caps under which a call did not fit any more; null: there was none. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  refusedCost: string | null;

  @Column('bigint', { nullable: true })
  refusedTokens: string | null;

  /** Of a run: the counters whose soft cap it was told of. */
  @Column('text', { array: true, default: '{}' })
  told: string[];

  /** Whether the owner was told that it is used up. */
  @Column('boolean', { default: false })
  ownerTold: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** The most that one call of a model can take, from just before it until it is known. */
@Entity('dedicated_agent_reservations')
@Index('dedicated_agent_reservations_agent_id', ['agentId'])
@Index('dedicated_agent_reservations_expires_at', ['expiresAt'])
export class DedicatedAgentReservation {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_reservations_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_reservations_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** Counters that it is reserved in. */
  @Column('text', { array: true })
  keys: string[];

  @Column('numeric', { precision: 20, scale: 10 })
  cost: string;

  @Column('bigint')
  tokens: string;

  @Column('boolean')
  isPriced: boolean;

  /** Whoever made the call puts it off; afterwards they are lost, and all of it counts as spent. */
  @Column('timestamptz')
  expiresAt: Date;
}
