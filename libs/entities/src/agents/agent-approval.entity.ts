import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/** A call with outside effects that a user has agreed to beforehand. */
@Entity('agent_approvals')
@Index('agent_approvals_once', ['userId', 'key', 'conversationId'], { unique: true })
export class AgentApproval {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'agent_approvals_pkey',
  })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'agent_approvals_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  /** Tool and target, as the agent compares them. */
  @Column('text')
  key: string;

  /** '' for every conversation. */
  @Column('text', { default: '' })
  conversationId: string;

  /** What was agreed to, for people. */
  @Column('text')
  summary: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
