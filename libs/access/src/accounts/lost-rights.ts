import type { DataSource } from 'typeorm';
import { workflowRole } from '../workflows/workflow-access.js';

/** Somebody who follows a workflow, a conversation or an agent, with the session in which they were let in. */
export interface Follower {
  sessionId: string | null;
  userId: number;
  /** The id of what is followed. */
  subject: string;
}

const RULES = {
  workflow: {
    join: 'LEFT JOIN workflows w ON w.id = m.subject::uuid AND w.deleted_at IS NULL',
    lost: `w.id IS NULL OR ${workflowRole('w', 'm.user_id')} IS NULL`,
  },
  /** Before anybody has written in a conversation, nobody is a stranger to it. */
  conversation: {
    join: 'LEFT JOIN chat_conversations c ON c.conversation_id = m.subject',
    lost: 'c.user_id <> m.user_id',
  },
  agent: {
    join: 'LEFT JOIN dedicated_agents a ON a.id = m.subject::uuid AND a.user_id = m.user_id',
    lost: 'a.id IS NULL OR NOT u.dedicated_agent',
  },
};

/** What can be followed: workflows that one sees, conversations and the dedicated agent of one's own. */
export type FollowedKind = keyof typeof RULES;

/** @returns those whose session ended, whose account is not active, or who may not see it any more; in one statement. */
export async function findLostFollowers<F extends Follower>(
  dataSource: DataSource,
  kind: FollowedKind,
  followers: readonly F[],
): Promise<F[]> {
  if (followers.length === 0) return [];
  const { join, lost } = RULES[kind];
  const rows = await dataSource.query<{ position: number }[]>(
    `SELECT m.position::int FROM unnest($1::uuid[], $2::int[], $3::text[])
       WITH ORDINALITY AS m(session_id, user_id, subject, position)
     LEFT JOIN sessions s ON s.id = m.session_id AND s.revoked_at IS NULL AND s.absolute_expires_at > now()
     LEFT JOIN users u ON u.id = m.user_id AND u.is_active
     ${join}
     WHERE s.id IS NULL OR u.id IS NULL OR ${lost}`,
    [
      followers.map(({ sessionId }) => sessionId),
      followers.map(({ userId }) => userId),
      followers.map(({ subject }) => subject),
    ],
  );
  return rows.map(({ position }) => followers[position - 1]!);
}
