import type { EntityManager } from 'typeorm';

/**
 * Events of a run in the words of docs/contract/dedicated-agent.md#events: `message.delta`, `tool.started`, `approval.request`,
 * `run.completed` … The last one is `run.completed`, `run.failed` or `run.cancelled`, and comes once.
 */
export interface GatewayEvent {
  /** By which the gateway goes on behind this one; null where it cannot. */
  cursor: string | null;
  event: string;
  data: Record<string, unknown>;
  at: Date;
}

/** The event of a gateway that says by it that a run is at work from now on: it changes the status, and is told to nobody. */
export const RUN_BEGUN = 'run.begun';

export type GatewayRunStatus =
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface GatewayRun {
  status: GatewayRunStatus;
  output: string | null;
  usage: Record<string, number> | null;
  error: string | null;
}

/** What a gateway is asked to do. */
export interface GatewayTask {
  /** Ours: the same one is the same run, however often it is asked for. */
  runId: string;
  agentId: string;
  userId: number;
  input: string;
  instructions: string;
  model: string;
  /** The conversation that it goes on with; null: one of its own. */
  sessionId: number | null;
  attachedFiles: readonly string[];
  /** Whether it ends where nobody answers in time what it asks to be allowed; else it goes on without. */
  haltsOnExpiry?: boolean;
  /** Whether it may have been asked for before, by somebody who was lost before the answer was written down. */
  mayHaveBegun?: boolean;
}

/** Of a run, for its gateway. */
export interface GatewayRunRef {
  runId: string;
  agentId: string;
  userId: number;
  gatewayRunId: string;
}

export type ApprovalAnswer = { choice: 'once' | 'session' | 'always' | 'deny'; requestId: string | null; all: boolean };

/** The gateway cannot be reached, or does not speak as it should: it is tried again, and the run goes on meanwhile. */
export class GatewayUnreachableError extends Error {
  override readonly name = 'GatewayUnreachableError';
}

/** The gateway refuses, for good. `status` is that of our own answer: 400, 404, 409 or 429. */
export class GatewayRefusedError extends Error {
  override readonly name = 'GatewayRefusedError';

  constructor(
    message: string,
    readonly status: 400 | 404 | 409 | 429,
    readonly code: string,
  ) {
    super(message);
  }
}

/**
 * Whoever does the work of dedicated agents: our own loop (`embedded`), or a foreign server (`hermes`). One contract test
 * holds for both (test/support/gateway-contract.ts).
 */
export abstract class AgentGateway {
  abstract readonly name: 'embedded' | 'hermes';
  /** Whether what it says of use is that of the whole conversation, and not of the run. */
  readonly countsBySession: boolean = false;
  /** Whether what is said in a conversation stands among our messages by itself. */
  readonly keepsMessages: boolean = true;

  /** Whether a run that it accepted may wait, and `RUN_BEGUN` comes when it waits no more. */
  readonly tellsBegin: boolean = false;

  /**
   * Whether a run could begin now, before anything is stored.
   * @throws UnavailableError `model_not_configured`; InvalidRequestError `model_not_found`
   */
  requireReady(_wanted: { userId: number; model: string; tx: EntityManager }): Promise<void> {
    return Promise.resolve();
  }

  /** @throws GatewayUnreachableError, GatewayRefusedError @returns what the gateway calls the run */
  abstract start(task: GatewayTask): Promise<string>;

  /** Null: it knows the run no more. @throws GatewayUnreachableError */
  abstract find(run: GatewayRunRef): Promise<GatewayRun | null>;

  /**
   * What is told of the run behind the place, until its end or the signal. May break off at any place by a
   * GatewayUnreachableError; what it gave stands.
   */
  abstract events(run: GatewayRunRef, from: { after: string | null; signal: AbortSignal }): AsyncIterable<GatewayEvent>;

  /**
   * Whether whoever lets go of the events behind this place misses nothing until they are asked for again. Of a gateway
   * that forgets what nobody listens to, they have to be followed to their end.
   */
  canLetGo(_cursor: string): boolean {
    return true;
  }

  /** @returns how many questions are answered. @throws GatewayUnreachableError, GatewayRefusedError */
  abstract answer(run: GatewayRunRef, answer: ApprovalAnswer): Promise<number>;

  /** @throws GatewayUnreachableError, GatewayRefusedError */
  abstract steer(run: GatewayRunRef, message: string): Promise<void>;

  /** Asks it to end; the end is told as an event. @throws GatewayUnreachableError, GatewayRefusedError */
  abstract stop(run: GatewayRunRef): Promise<void>;
}
