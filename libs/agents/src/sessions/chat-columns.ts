import type { ExportedColumns } from '@app/erasure';

const OF_ITS_WORKER = 'for whoever works on the turn';

export const SESSION_COLUMNS: ExportedColumns = {
  table: 'chat_sessions',
  exported: ['id', 'kind', 'conversation_id', 'title', 'pinned', 'last_message_at', 'created_at', 'heard'],
  withheld: { user_id: 'whose copy it is' },
};

/** What a conversation about a page is about. */
export const ARTIFACT_CHAT_COLUMNS: ExportedColumns = {
  table: 'artifact_chats',
  exported: ['artifact_id', 'sources', 'draft', 'updated_at'],
  withheld: { session_id: 'the conversation stands around it', calls: OF_ITS_WORKER, turn: OF_ITS_WORKER },
};

export const TURN_COLUMNS: ExportedColumns = {
  table: 'chat_turns',
  exported: [
    'id',
    'seq',
    'status',
    'question',
    'answer',
    'sources',
    'model',
    'prompt_tokens',
    'completion_tokens',
    'error_code',
    'error_detail',
    'created_at',
    'started_at',
    'finished_at',
    'handler',
    'client_turn_id',
    'replaces',
    'is_replaced',
    'pending',
    'reply',
    'result',
    'model_id',
    'rating',
    'rating_comment',
  ],
  withheld: {
    session_id: 'the conversation stands around it',
    request: 'how the answer is to be made, perhaps with sealed credentials',
    state: OF_ITS_WORKER,
    attempt: OF_ITS_WORKER,
    losses: OF_ITS_WORKER,
    lease_owner: OF_ITS_WORKER,
    lease_expires_at: OF_ITS_WORKER,
    deadline_at: OF_ITS_WORKER,
    wake_at: OF_ITS_WORKER,
  },
};
