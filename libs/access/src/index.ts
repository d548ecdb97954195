export { accountIsActive, workflowOwnerIsActive } from './accounts/owner-active.js';
export {
  decideDocumentAccess,
  documentsAmong,
  holdReadableDocuments,
  findDocumentRole,
  ownDocuments,
  sharedDocuments,
  sharingOwners,
  visibleDocument,
  visibleDocumentUids,
  type DocumentAction,
  type DocumentRole,
} from './documents/document-access.js';
export {
  allowsWorkflow,
  decideWorkflowAccess,
  lockWorkflowRole,
  findWorkflowOwner,
  findWorkflowRole,
  visibleWorkflowIds,
  workflowRole,
  type WorkflowNeed,
  type WorkflowRole,
} from './workflows/workflow-access.js';
export { type Addressed, AddressTrust } from './invitations/address-trust.js';
export {
  countInvitationsTo,
  invite,
  INVITATION_KINDS,
  type InvitationKind,
  removeInvitationsTo,
  takeInvitation,
  withdrawInvitations,
} from './invitations/share-invitations.js';
export { findLostFollowers, type FollowedKind, type Follower } from './accounts/lost-rights.js';
export { DueInvitations, type DueInvitation } from './invitations/due-invitations.js';
export { OwnedInvitations } from './invitations/owned-invitations.js';
export { type SentInvitation, SentInvitations } from './invitations/sent-invitations.js';
export { lockAccount, lockActiveAccount } from './accounts/lock-account.js';
export { confirmedMember } from './accounts/confirmed-member.js';
