import { countInvitationsTo, removeInvitationsTo } from '@app/access';
import type { WorkflowPart } from './workflow-part.js';

/** Shares that wait for somebody to confirm an address. */
export const invitationsPart: WorkflowPart = {
  name: 'invitations',
  tables: ['share_invitations'],
  order: 60,
  async countFor(workflowId, db) {
    return { invitations: await countInvitationsTo(db, workflowId) };
  },
  async deleteFor(workflowId, tx) {
    return { counts: { invitations: await removeInvitationsTo(tx, workflowId) } };
  },
};
