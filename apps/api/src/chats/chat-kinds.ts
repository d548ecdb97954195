/** What a conversation is with (document 3, B7). */
export const CHAT_KINDS = [
  'chat',
  'dedicated-agent',
  'document',
  'database',
  'spreadsheet',
  'table',
  'artifact',
  'workflow',
] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
