import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/**
 * A question and its answer as a client chose to keep them (docs/contract/tables.md#thoughts-and-kept-messages,
 * `store/`).
 */
@Entity('tabular_messages')
@Check('tabular_messages_store_check', `store IN ('database', 'spreadsheet')`)
@Index('tabular_messages_user_store_uid', ['userId', 'store', 'uid'], { unique: true })
@Index('tabular_messages_conversation', ['userId', 'store', 'conversationId', 'id'])
export class TabularMessage {
  @PrimaryGeneratedColumn('identity', {
    type: 'int',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'tabular_messages_pkey',
  })
  id: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'tabular_messages_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  store: string;

  /** That of the turn, when it comes from one. */
  @Column('uuid')
  uid: string;

  @Column('text')
  conversationId: string;

  @Column('text')
  question: string;

  @Column('text')
  answer: string;

  @Column('text', { nullable: true })
  sql: string | null;

  @Column('text', { nullable: true })
  mgid: string | null;

  @Column('uuid', { array: true, default: [] })
  fileUids: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
