import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** One request to the endpoint of a language model. Turns, runs and workflows are named without a key: they may go. */
@Entity('model_usage')
@Check('model_usage_price_source_check', `price_source IN ('deployment', 'genai-prices')`)
@Check('model_usage_outcome_check', `outcome IN ('completed', 'failed', 'aborted', 'timeout')`)
@Index('model_usage_user_created', ['userId', 'createdAt'])
@Index('model_usage_created', ['createdAt'])
@Index('model_usage_organization', ['organizationId', 'createdAt'], { where: 'organization_id IS NOT NULL' })
@Index('model_usage_turn', ['turnId'], { where: 'turn_id IS NOT NULL' })
export class ModelUsage {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'model_usage_pkey' })
  id: string;

  /** On whose account; null: on nobody's. */
  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'model_usage_user_id_fkey', onDelete: 'CASCADE' })
  userId: number | null;

  /** The shared organisation that the account belonged to at that time; without a key, because it may go. */
  @Column('int', { nullable: true })
  organizationId: number | null;

  /** `chat`, `agent`, `workflow` and the like. */
  @Column('text')
  purpose: string;

  @Column('uuid', { nullable: true })
  turnId: string | null;

  @Column('uuid', { nullable: true })
  workflowId: string | null;

  @Column('uuid', { nullable: true })
  runId: string | null;

  /** Of the settings at that time. */
  @Column('int')
  modelId: number;

  /** As the endpoint knows it. */
  @Column('text')
  model: string;

  @Column('bigint')
  promptTokens: string;

  @Column('bigint')
  completionTokens: string;

  /** Of the prompt, read from the endpoint's cache. */
  @Column('bigint', { default: 0 })
  cachedTokens: string;

  /** Of the prompt, written to the endpoint's cache. */
  @Column('bigint', { default: 0 })
  cacheWriteTokens: string;

  /** At the price of that time; null: the model had none. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  cost: string | null;

  /** The parts of the cost that were paid for reading from the endpoint's cache, and for writing to it. */
  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  cachedCost: string | null;

  @Column('numeric', { precision: 20, scale: 10, nullable: true })
  cacheWriteCost: string | null;

  @Column('text')
  currency: string;

  /** Who said the price; null: nobody, or a release that knew `deployment` alone. */
  @Column('text', { nullable: true })
  priceSource: 'deployment' | 'genai-prices' | null;

  /** Of the deployment, a hash of its price; of the library, its version, and the rate where it was converted. */
  @Column('text', { nullable: true })
  priceVersion: string | null;

  @Column('int')
  durationMs: number;

  @Column('text')
  outcome: 'completed' | 'failed' | 'aborted' | 'timeout';

  /** Of what failed. */
  @Column('text', { nullable: true })
  errorCode: string | null;

  /** Whether the tokens are reckoned from the length of the texts: the endpoint did not count, or was not heard out. */
  @Column('boolean', { default: false })
  isEstimate: boolean;

  /** Whether the key was one of the person or their organisation, and not the deployment's: such tokens are in no plan. */
  @Column('boolean', { default: false })
  ownKey: boolean;

  @Column('timestamptz')
  createdAt: Date;
}
