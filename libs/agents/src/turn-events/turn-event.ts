import type { TokenUsage } from '@app/integrations';

/** What is told of a turn, as it stands in its log (`chat_turn_events`), numbered from 1 without gaps. */
export type TurnEvent =
  /** Waits behind another turn of the conversation; 1: it is the next. Never in the log: it is derived. */
  | { type: 'queued'; data: { position: number } }
  /** A worker has taken it: the first time, and each time that one was lost or an answer came. */
  | { type: 'started'; data: { attempt: number } }
  /** Once, before any text: what the answer rests on, as the client gets it. */
  | { type: 'sources'; data: { sources: readonly unknown[] } }
  /** A piece of the answer. `offset` counts UTF-16 code units of the whole answer. */
  | { type: 'delta'; data: { offset: number; text: string } }
  /** Telemetry of docs/contract/chats.md#the-channel and `event` go to the client as they are. */
  | { type: 'stage'; data: { event_type: string; event: Record<string, unknown> | string | null } }
  /** The turn waits for a person. */
  | { type: 'question'; data: TurnQuestion }
  /** The turn goes on, with what was replied; null: nobody did in time. */
  | { type: 'reply'; data: { request_id: string; reply: Record<string, unknown> | null } }
  /** The last event of a turn, exactly once. */
  | { type: 'end'; data: TurnEndData };

export type TurnEventType = TurnEvent['type'];
export type StoredTurnEvent = TurnEvent & { turnId: string; seq: number };

/** In wire names: it goes out as it is. */
export interface TurnQuestion {
  /** Names the question in a reply to it. */
  request_id: string;
  /** `clarification` and `missing_param` are answered by the next message, `approval` by a choice. */
  kind: 'clarification' | 'missing_param' | 'approval';
  message: string;
  options: { value: string; label: string }[];
  /** The parameters that are missing. */
  fields: { name: string; label: string; type: string; required: boolean }[];
  /** What is to be approved: the tool, and every argument that would be sent. */
  tool?: { name: string; title: string; arguments: Record<string, unknown> };
  expires_at: string | null;
}

export type TurnStatus = 'queued' | 'running' | 'waiting_input' | 'completed' | 'failed' | 'interrupted';

export interface TurnEndData {
  status: 'completed' | 'failed' | 'interrupted';
  usage: { prompt_tokens: number; completion_tokens: number } | null;
  /** Of a failed turn. */
  error: { code: string; detail: string } | null;
}

/** What an answer comes with, beside text and sources; in wire names (docs/contract/chats.md#the-shared-reply). */
export interface TurnExtras {
  mgid?: string;
  dashboard_id?: string;
  generated_files_urls?: string[];
  /** Of table-chat: what was changed (docs/contract/table-chat.md#changes). */
  table_changes?: Record<string, unknown>;
  /** Of a chat with tables: the whole JSON answer. */
  reply?: Record<string, unknown>;
}

/** How a handler ends its work on a turn. */
export type TurnOutcome =
  | {
      usage: TokenUsage | null;
      extras?: TurnExtras;
      model?: string;
      /** The turn has failed, and keeps its text and extras all the same. */
      failure?: { code: string; detail: string };
    }
  /** Leaves the worker until a reply comes, or `expiresAt`; then the handler runs again, with `resume`. */
  | { wait: Omit<TurnQuestion, 'expires_at'>; expiresAt: Date | null };
