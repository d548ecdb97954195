import { currentContext, newTimeOrderedId } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AuditAction } from './actions.js';

export interface AuditEntry {
  action: AuditAction;
  /** `success` unless told. */
  outcome?: 'success' | 'failure';
  /** Who did it; null for the system. */
  actor: { userId: number; username: string } | null;
  /** Whose account it is about, when it is one: an erasure of that account takes the entry's personal part out. */
  subjectId?: number | null;
  /** What it was done to, as people name it: `user:7`, `organization:acme.example`. */
  target: string;
  /** Further facts; never a secret. */
  details?: Record<string, unknown>;
  /** Whose owners and admins read it; that of the actor, without one that of the subject, at this moment unless told. */
  organizationId?: number;
}

/** What happened to accounts and who did it (docs/contract/administration.md#audit). */
@Injectable()
export class AuditLog {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Writes the entry in the caller's transaction, so that it stands if and only if the change does. Address and request
   * id come from the request at work. It enters the hash chain a moment later (`AuditChain`).
   */
  async record(entry: AuditEntry, tx: EntityManager = this.dataSource.manager): Promise<void> {
    const context = currentContext();
    const { action, outcome = 'success', actor, subjectId = actor?.userId ?? null, target, details = {} } = entry;
    await tx.query(
      `INSERT INTO audit_inbox (id, event) VALUES ($1, $2::jsonb || jsonb_build_object('organizationId',
         coalesce($3::int, (SELECT organization_id FROM users WHERE id = $4))))`,
      [
        newTimeOrderedId(),
        {
          action,
          outcome,
          requestId: context?.requestId ?? null,
          actorId: actor?.userId ?? null,
          subjectId,
          personal: { actor: actor?.username ?? null, ip: context?.ip ?? null, target, details },
        },
        entry.organizationId ?? null,
        actor?.userId ?? subjectId,
      ],
    );
  }
}
