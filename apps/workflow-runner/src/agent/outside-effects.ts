import { DOCUMENTS, type Party } from '@app/agents';
import { mailApproval } from '@app/workflow-tools';

const READS_DOCUMENTS = new Set([
  'semantic_search',
  'ask_documents',
  'list_documents',
  'pdf_text',
  'ocr',
  'read_file',
  'spreadsheet_read',
  'database_query',
  'ask_database',
  'extract_table_rows',
]);

/** A connected server. */
export function partyOf({ id, label }: { id: number; label: string }): Party {
  return { key: `server:${id}`, label };
}

/** Whom a kind of the catalogue sends to. */
export function targetOfKind(kind: string, input: Record<string, unknown>): Party | null {
  if (kind === 'send_email') {
    const { summary } = mailApproval({ ...input, subject: '' });
    return { key: 'mail', label: summary.replace(/^Send an e-mail to /, '').replace(/: $/, '') };
  }
  if (kind === 'extract_table_rows') return tableParty(input);
  if (kind === 'dashboard') return boardParty(input);
  return kind === 'http_request' ? webParty(input.url) : null;
}

/** Whose words the output of a kind of the catalogue holds. */
export function sourceOfKind(kind: string, input: Record<string, unknown>): Party | null {
  if (kind === 'http_request') return webParty(input.url);
  return READS_DOCUMENTS.has(kind) ? DOCUMENTS : null;
}

/** What is written into a table, everybody sees whom it is shared with; to read its rows tells nobody. */
function tableParty({ table_id: table, document_uids: documents }: Record<string, unknown>): Party | null {
  if (typeof table !== 'string' || !Array.isArray(documents) || documents.length === 0) return null;
  return { key: `table:${table.toLowerCase()}`, label: 'an extraction table' };
}

/** What stands on a board, everybody sees with whom it is shared, perhaps its owner. */
function boardParty({ board_id: board }: Record<string, unknown>): Party | null {
  if (typeof board !== 'string' && typeof board !== 'number') return null;
  return { key: `board:${String(board).trim()}`, label: 'a board' };
}

function webParty(url: unknown): Party | null {
  const origin = typeof url === 'string' ? URL.parse(url.trim())?.origin : undefined;
  return origin === undefined ? null : { key: `web:${origin}`, label: origin };
}
