/** Headers that routes read, by the names that `@Route` lists them under; `apps/api/src/openapi/request-parts.ts` describes each. */
export type ReadHeader =
  | 'Last-Event-ID'
  | 'If-None-Match'
  | 'Range'
  | 'If-Range'
  | 'Mcp-Session-Id'
  | 'MCP-Protocol-Version'
  | 'Tus-Resumable'
  | 'Upload-Length'
  | 'Upload-Metadata'
  | 'Upload-Offset';

/** Queries that are written by nobody by hand, or by another specification. */
export type ReadQuery = 'signedAddress' | 'authorization';
