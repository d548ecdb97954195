import { Messages, type Language, type MessageParams, type TemplateName } from '@app/messages';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** An account as the queries of this folder read it. */
export interface Person {
  id: number;
  username: string;
  email: string;
  firstName: string;
  lastName: string;
  language: Language;
  isActive: boolean;
}

/** The select list that gives `Person`s, for `users` under `alias`. */
export function personColumns(alias: string): string {
  return (
    `${alias}.id, ${alias}.username, ${alias}.email, ${alias}.first_name AS "firstName", ` +
    `${alias}.last_name AS "lastName", ${alias}.language, ${alias}.is_active AS "isActive"`
  );
}

export async function getPerson(tx: EntityManager, id: number): Promise<Person> {
  const [row] = await tx.query<[Person]>(`SELECT ${personColumns('u')} FROM users u WHERE u.id = $1`, [id]);
  return row;
}

type Notice = Extract<TemplateName, 'access-requested' | 'access-approved' | 'access-denied' | 'document-shared'>;

/** Mails about sharing. They are written in the caller's transaction; hand the receipts to `publish` after commit. */
@Injectable()
export class SharingNotices {
  constructor(private readonly messages: Messages) {}

  /** Nothing for a deactivated account. */
  async write<N extends Notice>(
    template: N,
    to: Person,
    params: Omit<MessageParams[N], 'name'>,
    tx: EntityManager,
  ): Promise<OutboxReceipt[]> {
    if (!to.isActive || to.email === '') return [];
    const complete = { name: to.firstName, ...params } as MessageParams[N];
    const { email, language, id: userId } = to;
    const message = { channel: 'mail' as const, template, language, to: email, userId, params: complete };
    return [await this.messages.enqueue(message, tx)];
  }

  publish(receipts: OutboxReceipt[]): void {
    this.messages.publish(...receipts);
  }
}

/** As people read it in a mail: `Ada Lovelace (ada)`. */
export function toDisplayName({ firstName, lastName, username }: Person): string {
  const name = `${firstName} ${lastName}`.trim();
  return name === '' ? username : `${name} (${username})`;
}
