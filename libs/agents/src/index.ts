export { Continuation, continuationMessages, continueText } from './turn-events/continuation.js';
export { withoutPictures } from './turn-events/shown-text.js';
export type {
  StoredTurnEvent,
  TurnEndData,
  TurnEvent,
  TurnEventType,
  TurnExtras,
  TurnOutcome,
  TurnQuestion,
  TurnStatus,
} from './turn-events/turn-event.js';
export { TurnClaims } from './turns/turn-claims.js';
export { TurnFeed } from './turns/turn-feed.js';
export {
  TURN_HANDLERS,
  type ClaimedTurn,
  type EmittedEvent,
  type TurnContext,
  type TurnHandler,
  type TurnHandlerName,
} from './turns/turn-handler.js';
export type { TurnLog } from './turns/turn-log.js';
export { TurnLogCompaction } from './turns/turn-log-compaction.js';
export { TurnLogWriter } from './turns/turn-log-writer.js';
export { toEndData, type BegunWork, type TurnEnd } from './turns/turn-rows.js';
export { turnWork, type TurnRow } from './turns/turn-work.js';
export { TurnSweeper } from './turns/turn-sweeper.js';
export type { TurnView } from './turns/turn-view.js';
export { Turns, type BegunTurn, type NewTurn } from './turns/turns.js';
export { waitsForReply } from './turns/conversation-rows.js';
export { TurnsModule } from './turns/turns.module.js';
export { SOURCE_LISTS, type ChatSource, type GroupedSource, type SourceList } from './stores/document-sources.js';
export { toSpreadsheetSources, type SpreadsheetSource } from './stores/spreadsheet-sources.js';
export { TableTurnRecords, type NewChart } from './stores/table-turn-records.js';
export { TurnHistory } from './stores/turn-history.js';
export {
  documentTurnRequest,
  sealedTurnRequest,
  secureTurnRequest,
  tableTurnRequest,
  workflowTurnRequest,
  type DocumentTurnRequest,
  type SealedTurnRequest,
  type SecureAttachment,
  type SecureTurnRequest,
  type TableTurnRequest,
  type WorkflowTurnRequest,
} from './stores/turn-requests.js';
export { SealedText } from './sealed/sealed-text.js';
export { WAITING_TURNS } from './turns/waiting-turns.js';
export { SealedTurns } from './sealed/sealed-turns.js';
export {
  secureMessages,
  secureRequest,
  secureSystemPrompt,
  type ReadAttachment,
  type SecureChat,
} from './secure/secure-messages.js';
export * from './agent/index.js';
export * from './artifact-chats/index.js';
export * from './memory/index.js';
export * from './authoring/index.js';
export * from './trace/index.js';
export * from './kept-results/index.js';
export { HeardInSessions } from './stores/heard-in-sessions.js';
export { type GrantedApproval, GrantedApprovals } from './approvals/granted-approvals.js';
export { OwnedApprovals } from './approvals/owned-approvals.js';
export { findUntitled, replaceTitle, type Untitled } from './stores/first-titles.js';
export { SessionSummaries } from './sessions/session-summaries.js';
export { TurnWorkLog } from './work-log/turn-work-log.js';
export { PastTurns } from './work-log/past-turns.js';
export { type AgentConversation, AgentHistory } from './sessions/agent-history.js';
export { type NewMessage, type StoredMessage, StoredMessages } from './tables/stored-messages.js';
export { OwnedTabularMessages } from './tables/owned-tabular-messages.js';
export { type KeptThought, Thoughts } from './tables/thoughts.js';
export { ChatEncryption, RepeatedAnswers } from './sessions/chat-encryption.js';
export { OwnedMemories } from './memory/owned-memories.js';
export { type ConversationTurn, ConversationTurns } from './turns/conversation-turns.js';
export { DocumentQuotes } from './sessions/document-quotes.js';
export { OwnedChats } from './sessions/owned-chats.js';
export { type ChatMessage, ChatMessages, type Rating } from './sessions/chat-messages.js';
export { ChatSessions, type ListedSession } from './sessions/chat-sessions.js';
export { CHAT_KINDS, type ChatKind } from './turns/chat-kinds.js';
export { beginForeignTurn, endForeignTurn, type ForeignEnd, type ForeignTurn } from './sessions/foreign-turns.js';
export { SessionTitles } from './sessions/session-titles.js';
export { GivenUpTurns } from './turns/given-up-turns.js';
export { TurnWaiting } from './turns/turn-waiting.js';
export { type AskedBefore, findOwnTurn, findTurnOfRun } from './turns/own-turns.js';
export { tellInConsole, type ToldJob, type ToldTurn } from './sessions/told-turns.js';
export { findOwnSession, removeConversation } from './sessions/own-sessions.js';
export {
  type ConsolePlace,
  type ConsoleSession,
  findConversation,
  openConsoleSession,
} from './sessions/console-sessions.js';
