/** What a conversation is with (docs/contract/chats.md#conversations). */
export const CHAT_KINDS = [
  'chat',
  'dedicated-agent',
  'document',
  'database',
  'spreadsheet',
  'table',
  'artifact',
  'dashboard',
  'workflow',
] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
