/**
 * What the wire calls them, in docs/contract/workflows.md#workflows-from-plain-words. Data is kept and sent as it is,
 * so it is in wire names.
 */
export type AuthoringMode = 'build' | 'edit' | 'explain';
export type AuthoringRoute = AuthoringMode | 'clarify';
export type AuthoringStage =
  | 'thinking'
  | 'planning'
  | 'selecting_tools'
  | 'writing'
  | 'validating'
  | 'repairing'
  | 'saving';
export type AuthoringStatus = 'completed' | 'clarification' | 'failed';

export interface AuthoringQuestion {
  id: string;
  node_id?: string;
  text: string;
  kind: string;
  options: string[];
}

export interface AuthoringWarning {
  code: string;
  node_id: string | null;
  message: string;
}

export interface AuthoringResult {
  turn_id: string;
  status: AuthoringStatus;
  message: string;
  json_spec: Record<string, unknown> | null;
  workflow_id: string | null;
  content_revision: number | null;
  summary: string;
  questions: AuthoringQuestion[];
  suggestions: string[];
  warnings: AuthoringWarning[];
  route: AuthoringRoute;
  error: { code: string; detail: string } | null;
}

export interface AuthoringEvent {
  event: 'progress' | 'skeleton' | 'workflow' | 'message' | 'error' | 'done';
  /** Without `turn_id` and `seq`, which are added when it is kept. */
  data: Record<string, unknown>;
}

export interface StoredEvent {
  seq: number;
  event: AuthoringEvent['event'];
  data: Record<string, unknown>;
}

/** A turn of the same conversation that has ended. */
export interface EarlierTurn {
  prompt: string;
  result: AuthoringResult;
}

/** Of a turn that came to nothing. */
export function failedResult(
  turnId: string,
  { code, detail }: { code: string; detail: string },
  { workflowId = null, mode = 'build' }: { workflowId?: string | null; mode?: AuthoringMode | undefined } = {},
): AuthoringResult {
  return {
    turn_id: turnId,
    status: 'failed',
    message: detail,
    json_spec: null,
    workflow_id: workflowId,
    content_revision: null,
    summary: '',
    questions: [],
    suggestions: [],
    warnings: [],
    route: mode,
    error: { code, detail },
  };
}
