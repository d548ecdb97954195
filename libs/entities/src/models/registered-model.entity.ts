import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Organization } from '../accounts/organization.entity.js';
import { User } from '../accounts/user.entity.js';

/**
 * A language model that somebody registered while the platform runs (docs/operations/language-models.md#registered-models):
 * a person for themselves, an organisation for its members, or staff for everybody, where neither owner is set.
 */
@Entity('registered_models')
@Check('registered_models_owner_check', 'user_id IS NULL OR organization_id IS NULL')
@Check('registered_models_default_check', 'NOT is_default OR user_id IS NULL AND organization_id IS NULL')
@Check('registered_models_test_status_check', `test_status IN ('untested', 'ok', 'failed')`)
@Index('registered_models_user_id', ['userId'], { where: 'user_id IS NOT NULL' })
@Index('registered_models_organization_id', ['organizationId'], { where: 'organization_id IS NOT NULL' })
@Index('registered_models_default_key', ['isDefault'], { unique: true, where: 'is_default' })
export class RegisteredModel {
  /** From 100,000 on: smaller ones are those of the settings. */
  @PrimaryGeneratedColumn('identity', {
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'registered_models_pkey',
  })
  id: number;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'registered_models_user_id_fkey', onDelete: 'CASCADE' })
  userId: number | null;

  @Column('int', { nullable: true })
  @ForeignKey(() => Organization, { name: 'registered_models_organization_id_fkey', onDelete: 'CASCADE' })
  organizationId: number | null;

  @Column('text')
  name: string;

  /** As its endpoint knows it. */
  @Column('text')
  value: string;

  /** All else that a member of LLM_MODELS says, without secrets. */
  @Column('jsonb')
  definition: Record<string, unknown>;

  /** Key and further headers, as JSON. */
  @Column('bytea', { nullable: true })
  secretSealed: Buffer | null;

  @Column('boolean', { default: false })
  hasKey: boolean;

  /** Of the headers in the secret. */
  @Column('text', { array: true, default: '{}' })
  headerNames: string[];

  @Column('boolean', { default: true })
  enabled: boolean;

  @Column('boolean', { default: false })
  isDefault: boolean;

  /** Models are listed by it, then in the order in which they came. */
  @Column('int', { default: 0 })
  position: number;

  /** Rises with each change but for what a test found out. */
  @Column('int', { default: 1 })
  version: number;

  @Column('timestamptz', { nullable: true })
  testedAt: Date | null;

  @Column('text', { default: 'untested' })
  testStatus: 'untested' | 'ok' | 'failed';

  @Column('text', { nullable: true })
  testCode: string | null;

  /** In words, without key, prompt and answer. */
  @Column('text', { nullable: true })
  testReason: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
