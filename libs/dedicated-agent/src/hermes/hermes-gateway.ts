import { isDictionary } from '@app/common';
import {
  AgentGateway,
  type ApprovalAnswer,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  type GatewayRunRef,
  type GatewayTask,
} from '../gateway/agent-gateway.js';
import { codeOf, HermesClient, type HermesOptions, isRunUnknown, toFailure, UnclearError } from './hermes-client.js';
import { HermesEvents } from './hermes-events.js';
import { FeatureDetection } from './hermes-features.js';
import { readPlace } from './hermes-place.js';
import { pathOf, readRecord, toRunOrThrow } from './hermes-record.js';

const RUN_ID = /^[\w.-]{1,200}$/;

type Data = Record<string, unknown>;

/** Runs of a server that speaks the API of hermes-agent, of any generation (docs/operations/agent-gateway.md). */
export class HermesGateway extends AgentGateway {
  readonly name = 'hermes';
  override readonly countsBySession = true;
  override readonly keepsMessages = false;
  private readonly client: HermesClient;
  private readonly features: FeatureDetection;
  private readonly stream: HermesEvents;

  constructor(options: HermesOptions) {
    super();
    this.client = new HermesClient(options);
    this.features = new FeatureDetection(this.client);
    this.stream = new HermesEvents(this.client, this.features, options);
  }

  async start(task: GatewayTask): Promise<string> {
    const { idempotency } = await this.features.get(task);
    if (!idempotency && task.mayHaveBegun === true) throw startUnclear();
    try {
      const answer = await this.client.call(task, 'POST', '/v1/runs', {
        body: toRequest(task),
        headers: idempotency ? { 'idempotency-key': task.runId } : {},
      });
      const runId = answer.body?.run_id;
      if (answer.status >= 200 && answer.status < 300 && typeof runId === 'string' && RUN_ID.test(runId)) return runId;
      throw toFailure(answer, 'gateway_refused');
    } catch (error) {
      // A second call could be a second run.
      if (error instanceof UnclearError && !idempotency) throw startUnclear();
      throw error;
    }
  }

  async find(run: GatewayRunRef): Promise<GatewayRun | null> {
    const record = await readRecord(this.client, run);
    return record && toRunOrThrow(record);
  }

  /** Where frames have no number, whoever hangs up loses the rest. */
  override canLetGo(cursor: string): boolean {
    const { id, isPolled } = readPlace(cursor);
    return id !== null || isPolled;
  }

  events(run: GatewayRunRef, from: { after: string | null; signal: AbortSignal }): AsyncGenerator<GatewayEvent, void> {
    return this.stream.of(run, from);
  }

  async answer(run: GatewayRunRef, { choice, requestId, all }: ApprovalAnswer): Promise<number> {
    const { approvals, idempotency } = await this.features.get(run);
    if (!approvals) throw unsupported('answers to its questions');
    if (!idempotency && !all && requestId !== null && choice !== 'deny') await this.requireShown(run, requestId);
    const answer = await this.post(run, 'approval', {
      choice,
      ...(requestId !== null && requestId !== '' && { request_id: requestId }),
      ...(all && { all: true }),
    });
    return Number(answer.resolved) || 1;
  }

  async steer(run: GatewayRunRef, message: string): Promise<void> {
    if (!(await this.features.get(run)).steer) throw unsupported('words to a run that is under way');
    await this.post(run, 'steer', { input: message });
  }

  async stop(run: GatewayRunRef): Promise<void> {
    if (!(await this.features.get(run)).stop) throw unsupported('stopping');
    const answer = await this.client.call(run, 'POST', `${pathOf(run)}/stop`, { body: {} });
    // It has ended, or is forgotten: either is told as its end.
    if (answer.status === 200 || isRunUnknown(answer)) return;
    throw toFailure(answer, 'run_not_active');
  }

  private async post(run: GatewayRunRef, action: string, body: Data): Promise<Data> {
    const answer = await this.client.call(run, 'POST', `${pathOf(run)}/${action}`, { body });
    if (answer.status === 200 && answer.body) return answer.body;
    if (isRunUnknown(answer)) throw new GatewayRefusedError('There is no such run.', 404, 'run_not_found');
    throw toFailure(answer, codeOf(answer) || 'gateway_refused');
  }

  /** The first generation answers its oldest question, whichever is meant. */
  private async requireShown(run: GatewayRunRef, requestId: string): Promise<void> {
    const shown = (await readRecord(this.client, run))?.approval;
    if (isDictionary(shown) && typeof shown.request_id === 'string' && shown.request_id !== requestId)
      throw new GatewayRefusedError('Another question of the agent waits.', 409, 'approval_not_pending');
  }
}

const startUnclear = (): GatewayRefusedError =>
  new GatewayRefusedError(
    'Whether the agent has begun is not known, and it could not be asked again without beginning twice.',
    409,
    'start_unclear',
  );

const unsupported = (what: string): GatewayRefusedError =>
  new GatewayRefusedError(`This gateway does not take ${what}.`, 409, 'not_supported');

function toRequest({ input, instructions, model, sessionId, attachedFiles }: GatewayTask): Data {
  const files = attachedFiles.length === 0 ? '' : `\n\nAttached, by their ids in Atrium: ${attachedFiles.join(', ')}`;
  return {
    input: `${input}${files}`,
    ...(instructions !== '' && { instructions }),
    ...(model !== '' && { model }),
    ...(sessionId !== null && { session_id: `atrium-${sessionId}` }),
  };
}
