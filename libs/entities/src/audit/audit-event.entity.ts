import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An event that is not in the chain yet: written in the transaction of what it tells of. */
@Entity('audit_inbox')
@Index('audit_inbox_at', ['at'])
export class AuditInboxEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'audit_inbox_pkey' })
  id: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  at: Date;

  @Column('jsonb')
  event: Record<string, unknown>;
}

/**
 * The audit log: append-only (a trigger refuses everything else) and hash-chained. `hash` covers `personal` through
 * `personal_digest` alone, so that an erasure can take out what is personal and the chain still holds.
 */
@Entity('audit_events')
@Check('audit_events_outcome_check', `outcome IN ('success', 'failure')`)
@Index('audit_events_id_key', ['id'], { unique: true })
@Index('audit_events_at', ['at'])
@Index('audit_events_action', ['action'])
@Index('audit_events_actor_id', ['actorId'])
@Index('audit_events_subject_id', ['subjectId'])
@Index('audit_events_organization_id', ['organizationId', 'seq'], { where: 'organization_id IS NOT NULL' })
export class AuditEvent {
  /** From 1, without gaps. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'audit_events_pkey' })
  seq: string;

  @Column('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  action: string;

  @Column('text')
  outcome: string;

  @Column('text', { nullable: true })
  requestId: string | null;

  /** Who did it; null for the system, and after that account was erased. */
  @Column('int', { nullable: true })
  actorId: number | null;

  /** Whose account it is about. */
  @Column('int', { nullable: true })
  subjectId: number | null;

  /** Whose organisation it happened in; null for those of before 2026-11-28. No key of another table: nothing here is changed. */
  @Column('int', { nullable: true })
  organizationId: number | null;

  /** Actor and target by name, address, details and a salt; null after an erasure. */
  @Column('jsonb', { nullable: true })
  personal: Record<string, unknown> | null;

  @Column('bytea')
  personalDigest: Buffer;

  @Column('bytea')
  prevHash: Buffer;

  @Column('bytea')
  hash: Buffer;
}
