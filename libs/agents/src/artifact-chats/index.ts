export {
  type ArtifactChatRecord,
  ArtifactChats,
  type DraftCall,
  type DraftChange,
  type NamedSubject,
} from './artifact-chats.js';
export { ArtifactConversationsModule } from './artifact-conversations.module.js';
export { ConversationsOfArtifact } from './conversations-of-artifact.js';
export type { DraftCheck, PageDraft, TurnAtPage } from './page-draft.js';
