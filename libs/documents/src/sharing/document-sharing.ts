import { AddressTrust, invite, takeInvitation, visibleDocument, withdrawInvitations } from '@app/access';
import { AuditLog } from '@app/audit';
import { NotFoundError } from '@app/common';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { retriedTransaction } from '@app/entities';
import { type Actor, lockOwnDocument } from './lock-document.js';
import { ShareMirrors } from './share-mirrors.js';
import { getPerson, personColumns, type Person, SharingNotices, toDisplayName } from './sharing-notices.js';

type Named = Pick<Person, 'id' | 'username' | 'email'>;

export interface DocumentPeople {
  owner: Named;
  /** Those whom the owner shows it to. */
  users: Named[];
}

/** Addresses as they were given, each once, in one of the lists. */
export interface SharingOutcome {
  done: string[];
  /** Nobody has confirmed them; who does gets it. Of `remove`, empty. */
  invited: string[];
  notFound: string[];
  /** The owner's, who needs no share. Of `remove`, empty. */
  own: string[];
}

/**
 * Who may read a document besides its owner (docs/contract/documents.md#sharing). It takes effect on the very next
 * request.
 */
@Injectable()
export class DocumentSharing {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notices: SharingNotices,
    private readonly mirrors: ShareMirrors,
    private readonly audit: AuditLog,
    private readonly outbox: Outbox,
    private readonly trust: AddressTrust,
  ) {}

  /** Readers see the owner and themselves; who else reads it is the owner's business. @throws NotFoundError */
  async listPeople(viewerId: number, uid: string): Promise<DocumentPeople> {
    const [found] = await this.dataSource.query<Named[]>(
      `SELECT u.id, u.username, u.email FROM documents d JOIN users u ON u.id = d.owner_id
       WHERE d.uid = $2 AND ${visibleDocument('d', '$1')}`,
      [viewerId, uid],
    );
    if (!found) throw new NotFoundError('Document not found.', { code: 'document_not_found' });
    const users = await this.dataSource.query<Named[]>(
      `SELECT u.id, u.username, u.email FROM document_shares s JOIN users u ON u.id = s.user_id
       WHERE s.document_uid = $1 AND ($2 OR u.id = $3) ORDER BY s.created_at, u.id`,
      [uid, found.id === viewerId, viewerId],
    );
    return { owner: found, users };
  }

  /**
   * Shows the document to the accounts with these addresses. Who was shown it already counts as done, the owner does not; a
   * deactivated account is not found; a pending request of somebody who is added is approved by that. An account that has
   * not confirmed its address gets nothing: the address is invited.
   * @param invitation that is taken up by this; nothing happens when it is used up or withdrawn
   * @throws NotFoundError, ForbiddenError
   */
  async add(
    actor: Actor,
    uid: string,
    emails: readonly string[],
    invitation: string | null = null,
  ): Promise<SharingOutcome> {
    const { outcome, receipts } = await retriedTransaction(this.dataSource, async (tx) => {
      const document = await lockOwnDocument(tx, actor.userId, uid);
      if (invitation !== null && !(await takeInvitation(tx, invitation))) return { outcome: NOTHING, receipts: [] };
      // Locked, so that none of them is erased before the share points to it.
      const found = await tx.query<(Person & { key: string; trusted: boolean })[]>(
        `SELECT ${personColumns('u')}, lower(u.email) AS key, ${this.trust.condition('u')} AS trusted FROM users u
         WHERE u.is_active AND lower(u.email) = ANY (SELECT lower(e) FROM unnest($1::text[]) e)
         ORDER BY u.id FOR KEY SHARE`,
        [emails],
      );
      const people = found.filter(({ id, trusted }) => trusted || id === document.ownerId);
      const invited = found.filter((person) => !people.includes(person)).map(({ key }) => key);
      await invite(tx, { kind: 'document', targetId: uid, inviterId: actor.userId, role: null }, invited);
      const others = people.filter(({ id }) => id !== document.ownerId);
      const added = await tx.query<{ user_id: number }[]>(
        `INSERT INTO document_shares (document_uid, user_id) SELECT $1, unnest($2::int[])
         ON CONFLICT DO NOTHING RETURNING user_id`,
        [uid, idsOf(others)],
      );
      const fresh = others.filter(({ id }) => added.some((row) => row.user_id === id));
      await tx.query(
        `UPDATE access_requests SET status = 'approved', updated_at = now()
         WHERE document_uid = $1 AND user_id = ANY($2::int[]) AND status = 'pending'`,
        [uid, idsOf(others)],
      );
      const owner = toDisplayName(await getPerson(tx, actor.userId));
      const receipts: OutboxReceipt[] = await this.mirrors.notify(uid, idsOf(fresh), tx);
      for (const person of fresh) {
        await this.record('document.shared', actor, person, uid, tx);
        const { filename } = document;
        receipts.push(...(await this.notices.write('document-shared', person, { owner, filename }, tx)));
      }
      return {
        outcome: await sortOut(
          tx,
          emails,
          others.map(({ key }) => key),
          invited,
          people.filter((person) => !others.includes(person)).map(({ key }) => key),
        ),
        receipts,
      };
    });
    this.outbox.publishSoon(receipts);
    return outcome;
  }

  /** Ends it, and takes invitations back; what an access request had brought is revoked. @throws NotFoundError, ForbiddenError */
  async remove(actor: Actor, uid: string, emails: readonly string[]): Promise<SharingOutcome> {
    const { outcome, receipts } = await retriedTransaction(this.dataSource, async (tx) => {
      await lockOwnDocument(tx, actor.userId, uid);
      const withdrawn = await withdrawInvitations(tx, ['document'], uid, emails);
      const [removed] = await tx.query<[(Named & { key: string })[], number]>(
        `DELETE FROM document_shares s USING users u
         WHERE s.document_uid = $1 AND u.id = s.user_id
           AND lower(u.email) = ANY (SELECT lower(e) FROM unnest($2::text[]) e)
         RETURNING u.id, u.username, u.email, lower(u.email) AS key`,
        [uid, emails],
      );
      await tx.query(
        `UPDATE access_requests SET status = 'revoked', updated_at = now()
         WHERE document_uid = $1 AND user_id = ANY($2::int[]) AND status = 'approved'`,
        [uid, idsOf(removed)],
      );
      const receipts = await this.mirrors.notify(uid, idsOf(removed), tx);
      for (const person of removed) await this.record('document.unshared', actor, person, uid, tx);
      return {
        outcome: await sortOut(tx, emails, [...removed.map(({ key }) => key), ...withdrawn], [], []),
        receipts,
      };
    });
    this.outbox.publishSoon(receipts);
    return outcome;
  }

  private record(
    action: 'document.shared' | 'document.unshared',
    actor: Actor,
    { id, username }: Named,
    uid: string,
    tx: EntityManager,
  ): Promise<void> {
    const target = `document:${uid}`;
    return this.audit.record({ action, actor, subjectId: id, target, details: { user: username } }, tx);
  }
}

const NOTHING: SharingOutcome = { done: [], invited: [], notFound: [], own: [] };

const idsOf = (people: readonly { id: number }[]) => people.map(({ id }) => id);

/** Postgres decides which addresses are the same but for their case, as it did when it looked for them. */
async function sortOut(
  tx: EntityManager,
  emails: readonly string[],
  doneKeys: string[],
  invitedKeys: string[],
  ownKeys: string[],
): Promise<SharingOutcome> {
  const rows = await tx.query<{ email: string; list: keyof SharingOutcome }[]>(
    `SELECT email, list FROM (
       SELECT DISTINCT ON (lower(e)) e AS email, n,
         CASE WHEN lower(e) = ANY($2::text[]) THEN 'done' WHEN lower(e) = ANY($3::text[]) THEN 'invited'
           WHEN lower(e) = ANY($4::text[]) THEN 'own' ELSE 'notFound' END AS list
       FROM unnest($1::text[]) WITH ORDINALITY AS given (e, n) ORDER BY lower(e), n) AS once ORDER BY n`,
    [emails, doneKeys, invitedKeys, ownKeys],
  );
  const of = (wanted: keyof SharingOutcome) => rows.filter(({ list }) => list === wanted).map(({ email }) => email);
  return { done: of('done'), invited: of('invited'), notFound: of('notFound'), own: of('own') };
}
