import { type AddressTrust, decideWorkflowAccess, lockWorkflowRole } from '@app/access';
import { InvalidRequestError } from '@app/common';
import type { Language } from '@app/messages';
import type { EntityManager } from 'typeorm';

/** Who does something; as the audit log names them. */
export interface Actor {
  userId: number;
  username: string;
}

/** An account that something is shared with. */
export interface Recipient {
  id: number;
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  language: Language;
}

export interface OwnWorkflow {
  id: string;
  name: string;
}

/**
 * The workflow, locked until the transaction ends: what changes who may use it happens one after the other, and before
 * any of its runs. @throws NotFoundError, ForbiddenError for everybody but the owner.
 */
export async function lockOwnWorkflow(tx: EntityManager, ownerId: number, workflowId: string): Promise<OwnWorkflow> {
  decideWorkflowAccess(await lockWorkflowRole(tx, ownerId, workflowId), 'owner');
  const [row] = await tx.query<[OwnWorkflow]>('SELECT id, name FROM workflows WHERE id = $1', [workflowId]);
  return row;
}

const COLUMNS = `u.id, u.username, u.email, u.first_name AS "firstName", u.last_name AS "lastName", u.language`;

export async function getRecipient(tx: EntityManager, id: number): Promise<Recipient> {
  const [row] = await tx.query<[Recipient]>(`SELECT ${COLUMNS} FROM users u WHERE u.id = $1`, [id]);
  return row;
}

export interface Addressed {
  /** Active accounts, locked so that none of them is erased meanwhile. */
  people: Recipient[];
  /** The addresses of active accounts which have not confirmed them. */
  invited: string[];
  /** The addresses as they were given, each once; a deactivated account is not found. */
  notFound: string[];
  /** As it was given. */
  addressOf(person: { id: number }): string;
}

/**
 * Postgres decides which addresses are the same but for their case.
 * @param trust which accounts are found by their address; null for all, when something is taken from them.
 * @throws InvalidRequestError `cannot_add_owner`.
 */
export async function findAddressed(
  tx: EntityManager,
  emails: readonly string[],
  ownerId: number,
  trust: AddressTrust | null,
): Promise<Addressed> {
  const rows = await tx.query<{ address: string; id: number | null; trusted: boolean }[]>(
    `SELECT once.address, u.id, ${trust?.condition('u') ?? 'true'} AS trusted FROM (
       SELECT DISTINCT ON (lower(e)) e AS address, n FROM unnest($1::text[]) WITH ORDINALITY AS given (e, n)
       ORDER BY lower(e), n) AS once
     LEFT JOIN users u ON u.is_active AND lower(u.email) = lower(once.address) ORDER BY once.n`,
    [emails],
  );
  if (rows.some(({ id }) => id === ownerId))
    throw new InvalidRequestError('The workflow is your own already.', { code: 'cannot_add_owner' });
  const found = new Map(
    rows.flatMap(({ id, address, trusted }) => (id === null || !trusted ? [] : [[id, address] as const])),
  );
  const people = await tx.query<Recipient[]>(
    `SELECT ${COLUMNS} FROM users u WHERE u.id = ANY($1::int[]) ORDER BY u.id FOR KEY SHARE`,
    [[...found.keys()]],
  );
  return {
    people,
    invited: rows.filter(({ id, trusted }) => id !== null && !trusted).map(({ address }) => address),
    notFound: rows.filter(({ id }) => id === null).map(({ address }) => address),
    addressOf: ({ id }) => found.get(id) ?? '',
  };
}

/** Tags are private to who gave them: with the access to the workflow they go from it. */
export async function untag(tx: EntityManager, workflowId: string, userIds: readonly number[]): Promise<void> {
  await tx.query(
    `DELETE FROM workflow_tag_links l USING workflow_tags t
     WHERE t.id = l.tag_id AND l.workflow_id = $1 AND t.owner_id = ANY($2::int[])`,
    [workflowId, userIds],
  );
}
