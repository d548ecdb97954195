/** What an API token may be allowed to do. A session may do everything that its account may. */
export const API_SCOPES = [
  'profile:read',
  'documents:read',
  'documents:write',
  'chats:write',
  'workflows:read',
  'workflows:write',
  'workflows:run',
] as const;

export type ApiScope = (typeof API_SCOPES)[number];
