export {
  type AuthorizedServer,
  McpAuthorization,
  McpOAuthTokens,
  type Refusal,
  SignInNeededError,
} from './client/authorization.js';
export { McpFailure, type McpFailureKind } from './client/mcp-failure.js';
export { type ConnectOptions, McpConnector } from './client/mcp-connector.js';
export { McpSession, type TransportKind } from './client/mcp-session.js';
export { SessionPool } from './client/session-pool.js';
export { McpModule } from './mcp.module.js';
export * from './oauth/index.js';
export { listTools } from './servers/list-tools.js';
export { type Actor, McpServers } from './servers/mcp-servers.js';
export { OwnedMcpServers } from './servers/owned-mcp-servers.js';
export {
  type FilledPrompt,
  type ResourcePart,
  ServerContents,
  type ServerPrompt,
  type ServerResource,
} from './calls/server-contents.js';
export { AUTH_TYPES, type AuthType, type ServerDraft } from './servers/server-draft.js';
export { type Probe, ServerProbe } from './servers/server-probe.js';
export { type ServerRecord, ServerRecords } from './servers/server-records.js';
export { type CallOptions, McpTools, type OfferedTool } from './calls/mcp-tools.js';
export { StoredTools, TOOL_STATES, type ToolChoice, type ToolRow, type ToolState } from './tools/stored-tools.js';
export type { ToolAnnotations } from './tools/tool-definition.js';
export { StoredServers } from './servers/stored-server.js';
export { ToolAcceptance } from './servers/tool-acceptance.js';
export type { ToolFile, ToolResult } from './tools/tool-result.js';
