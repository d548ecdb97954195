import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { ChatTurn } from '../retrieval/chat.entity.js';

/** Something that agents keep of a user over conversations (docs/contract/chats.md#memories). */
@Entity('agent_memories')
@Check('agent_memories_kind_check', `kind IN ('preference', 'instruction', 'fact', 'project', 'person')`)
@Index('agent_memories_once', ['userId', 'textKey'], { unique: true, where: 'superseded_by IS NULL' })
@Index('agent_memories_source_turn', ['sourceTurnId'])
@Index('agent_memories_superseded', ['supersededBy'])
@Index('agent_memories_unencoded', ['id'], { where: 'vector_of IS NULL AND superseded_by IS NULL' })
@Index('agent_memories_user_id', ['userId'])
export class AgentMemory {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'agent_memories_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'agent_memories_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  kind: string;

  @Column('text')
  text: string;

  /** The text without case, accents and punctuation: the same is not kept twice. */
  @Column('text')
  textKey: string;

  /** 0 to 1. */
  @Column('real')
  confidence: number;

  /** Null: the user wrote it down, or the turn is gone. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => ChatTurn, 'id', { name: 'agent_memories_source_turn_id_fkey', onDelete: 'SET NULL' })
  sourceTurnId: string | null;

  /** What is true instead; goes with it, or an old truth would come back. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => AgentMemory, 'id', { name: 'agent_memories_superseded_by_fkey', onDelete: 'CASCADE' })
  supersededBy: string | null;

  /** Whose words the conversation held that it was learnt in, by key, with labels for people. */
  @Column('jsonb', { default: () => `'{}'` })
  heard: Record<string, string>;

  /** When it is needed, in other words than its own, as the model that kept it saw it: found by, never shown to models. */
  @Column('text', { default: '' })
  cues: string;

  /** Learnt from a turn of a model in the house: neither shown to a model nor sent to an encoder outside of it. */
  @Column('boolean', { default: false })
  staysOnPremises: boolean;

  /** Of text and cues, a signed byte per dimension; null until it is made in the background. */
  @Column('bytea', { nullable: true })
  vector: Buffer | null;

  /** Where the vector's components are positive: among thousands, those that may be near are found by them. */
  @Column('bit varying', { nullable: true })
  signs: string | null;

  /** The encoder's id and the MD5 of what it read: a vector of another encoder or of a former text counts as none. */
  @Column('text', { nullable: true })
  vectorOf: string | null;

  @Column('int', { default: 0 })
  recallCount: number;

  @Column('timestamptz', { nullable: true })
  lastRecalledAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** Whether a user wants to be remembered; without a row: yes. */
@Entity('agent_memory_settings')
export class AgentMemorySetting {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'agent_memory_settings_pkey' })
  @ForeignKey(() => User, { name: 'agent_memory_settings_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('boolean')
  isEnabled: boolean;
}

/** A turn that was looked through for what is worth keeping: once. */
@Entity('agent_memory_turns')
export class AgentMemoryTurn {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'agent_memory_turns_pkey' })
  @ForeignKey(() => ChatTurn, 'id', { name: 'agent_memory_turns_turn_id_fkey', onDelete: 'CASCADE' })
  turnId: string;
}
