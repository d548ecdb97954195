import { ConflictError, inBatches, newId } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';

/** An invitation that nobody takes up ends after so many days. */
export const INVITATION_DAYS = 30;
const MOST_OF_ONE = 1000;
const REMOVED_AT_ONCE = 5000;

export const INVITATION_KINDS = ['document', 'collaborator', 'copy', 'app', 'transfer'] as const;
export type InvitationKind = (typeof INVITATION_KINDS)[number];

/** What an invitation is to: a document by its uid, or a workflow by its id. */
export interface Invited {
  kind: InvitationKind;
  targetId: string;
}

const columnOf = (kind: InvitationKind) => (kind === 'document' ? 'document_uid' : 'workflow_id');

/**
 * Keeps what is shared for whoever confirms these addresses; an invitation made before is renewed. The caller has locked
 * the target's row. @param role of a collaborator, else null. @throws ConflictError `invitation_limit_reached`.
 */
export async function invite(
  tx: EntityManager,
  { kind, targetId, inviterId, role }: Invited & { inviterId: number; role: 'editor' | 'viewer' | null },
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return;
  const column = columnOf(kind);
  const key = kind === 'document' ? 'document_uid, address' : 'workflow_id, kind, address';
  await tx.query(
    `INSERT INTO share_invitations (id, kind, ${column}, inviter_id, address, role, expires_at)
     SELECT id, $2, $3, $4, lower(address), $5, now() + make_interval(days => ${INVITATION_DAYS})
     FROM unnest($1::uuid[], $6::text[]) AS given (id, address)
     ON CONFLICT (${key}) DO UPDATE
       SET inviter_id = excluded.inviter_id, role = excluded.role, expires_at = excluded.expires_at`,
    [addresses.map(() => newId()), kind, targetId, inviterId, role, addresses],
  );
  const [{ count }] = await tx.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM share_invitations WHERE inviter_id = $1',
    [inviterId],
  );
  if (count > MOST_OF_ONE)
    throw new ConflictError(`At most ${MOST_OF_ONE} invitations can be open at a time.`, {
      code: 'invitation_limit_reached',
    });
}

/**
 * Takes invitations of these kinds back; the caller has locked the target's row.
 * @param addresses all when null. @returns whose they were, in lower case.
 */
export async function withdrawInvitations(
  tx: EntityManager,
  kinds: readonly InvitationKind[],
  targetId: string,
  addresses: readonly string[] | null,
): Promise<string[]> {
  const [rows] = await tx.query<[{ address: string }[], number]>(
    `DELETE FROM share_invitations
     WHERE kind = ANY($1::text[]) AND $2::uuid IN (document_uid, workflow_id)
       AND ($3::text[] IS NULL OR address = ANY (SELECT lower(e) FROM unnest($3::text[]) e)) RETURNING address`,
    [kinds, targetId, addresses],
  );
  return rows.map(({ address }) => address);
}

/** Uses an invitation up, so that it takes effect once. @returns whether it was still open. */
export async function takeInvitation(tx: EntityManager, id: string): Promise<boolean> {
  const [, count] = await tx.query<[unknown, number]>('DELETE FROM share_invitations WHERE id = $1', [id]);
  return count > 0;
}

/** Open invitations to a workflow, of every kind. */
export async function countInvitationsTo(db: DataSource | EntityManager, workflowId: string): Promise<number> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM share_invitations WHERE workflow_id = $1',
    [workflowId],
  );
  return count;
}

/** Takes all invitations to a workflow back, whoever made them, some thousands a statement. @returns how many there were */
export async function removeInvitationsTo(tx: EntityManager, workflowId: string): Promise<number> {
  return inBatches(REMOVED_AT_ONCE, async (batch) => {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM share_invitations WHERE id = ANY(ARRAY(
         SELECT id FROM share_invitations WHERE workflow_id = $1 LIMIT $2))`,
      [workflowId, batch],
    );
    return count;
  });
}
