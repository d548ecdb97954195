import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { LeasedRow } from '../leased-row.js';

/** A mail or a text message that is to be sent, or was. */
@Entity('outgoing_messages')
@Check('outgoing_messages_channel_check', `channel IN ('mail', 'sms')`)
@Check('outgoing_messages_state_check', `state IN ('waiting', 'sent', 'failed', 'expired')`)
@Index('outgoing_messages_next_attempt_at', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
@Index('outgoing_messages_user_id', ['userId'])
@Index('outgoing_messages_finished', ['finishedAt'])
export class OutgoingMessage extends LeasedRow {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'outgoing_messages_pkey' })
  id: string;

  @Column('text')
  channel: string;

  @Column('text')
  template: string;

  @Column('text')
  language: string;

  /** An e-mail address, or digits of a phone number. */
  @Column('text')
  recipient: string;

  @Column('int', { nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'outgoing_messages_user_id_fkey' })
  user?: Relation<User> | null;

  /** The template's values as JSON; they may hold codes, so they are sealed, and gone once the message is finished. */
  @Column('bytea', { nullable: true })
  paramsSealed: Buffer | null;

  @Column('text', { default: 'waiting' })
  state: string;

  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;

  /** After this it is not worth sending: the code in it has run out. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
