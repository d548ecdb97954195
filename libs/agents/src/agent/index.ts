export type { AgentAnswer, AgentEnd, AgentWait } from './agent-end.js';
export type { AgentHost } from './agent-host.js';
export { AgentLoop, type AgentResume, type AgentWork } from './agent-loop.js';
export type { AgentModel } from './agent-model.js';
export { systemPrompt, type PromptFacts } from './agent-prompt.js';
export {
  type AgentState,
  type CallState,
  type KeptAttachment,
  newAgentState,
  packState,
  unpackState,
} from './agent-state.js';
export { KeptState, type KeptTexts } from './kept-state.js';
export { NOTES_BEGIN, NOTES_END, turnNotes, type TurnNotes } from './turn-notes.js';
export { APPROVAL_OPTIONS, type ApprovalPolicy, type Approvals } from './approvals.js';
export { cutLine, cutMiddle, toReadableText } from './bounded-text.js';
export type { CallRules } from './call-settler.js';
export { DOCUMENTS, type HeardParties, heardWith } from './heard.js';
export type { EarlierNotes, PastExchange } from './context-messages.js';
export { askForSummary, summaryInput } from './conversation-summary.js';
export { delimit, DELIMITER_RULE, useDelimiterKey } from '../prompts/delimiters.js';
export type { AgentLimits } from './limits.js';
export { Memories, type Memory, type MemoryRoom, type Reminded } from './memories.js';
export { estimateTokens } from './tokens.js';
export {
  type AgentSource,
  type AgentTool,
  type ApprovalNeed,
  type FoundSource,
  type Party,
  type ToolAnswer,
  ToolCallError,
  type ToolCallContext,
  type ToolEffects,
} from './tool.js';
export { AgentTools, type AgentToolsOptions } from './agent-tools.js';
export type { ServerInstructions } from './find-tools-tool.js';
export type { LikenessOf } from '../tool-search/find-tools.js';
export { type SearchedTool, ToolIndex } from '../tool-search/tool-index.js';
export { UserWords } from './user-words.js';
export { Citations, type EarlierSources, NO_EARLIER_SOURCES, withoutCitations } from './citations.js';
export { type FindPassages, type OpenedFile, openingText } from './opening.js';
export type { ReadPicture, ResultPicture } from './result-pictures.js';
export { readResultTool, withResults } from './result-tools.js';
