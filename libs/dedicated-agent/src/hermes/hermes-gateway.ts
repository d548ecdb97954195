import { setTimeout as sleep } from 'node:timers/promises';
import { isDictionary } from '@app/common';
import {
  AgentGateway,
  type ApprovalAnswer,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  type GatewayRunRef,
  type GatewayTask,
  GatewayUnreachableError,
} from '../gateway/agent-gateway.js';
import {
  codeOf,
  HermesClient,
  type HermesOptions,
  isRunUnknown,
  readObject,
  toFailure,
  UnclearError,
} from './hermes-client.js';
import { FeatureDetection } from './hermes-features.js';
import { BEGINNING, pass, type Place, readPlace, untold, writePlace } from './hermes-place.js';
import { readFrames, UnreadableError } from './read-frames.js';
import { type Told, toQuestion, toRun, translate } from './translate.js';

/** Keepalives come each 30 seconds at most. */
const SILENCE_MS = 120_000;
const POLL_MS = 1000;
const LONGEST_POLL_MS = 5000;
const RUN_ID = /^[\w.-]{1,200}$/;
const ENDS = new Set(['run.completed', 'run.failed', 'run.cancelled']);
const ASK_AT_MOST = 256;

type Data = Record<string, unknown>;

/** Runs of a server that speaks the API of hermes-agent, of any generation (docs/operations/agent-gateway.md). */
export class HermesGateway extends AgentGateway {
  readonly name = 'hermes';
  private readonly client: HermesClient;
  private readonly features: FeatureDetection;

  constructor(private readonly options: HermesOptions) {
    super();
    this.client = new HermesClient(options);
    this.features = new FeatureDetection(this.client);
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
    const record = await this.recordOf(run);
    return record && toRunOrThrow(record);
  }

  /** Where frames have no number, whoever hangs up loses the rest. */
  override canLetGo(cursor: string): boolean {
    const { id, isPolled } = readPlace(cursor);
    return id !== null || isPolled;
  }

  async *events(
    run: GatewayRunRef,
    { after, signal }: { after: string | null; signal: AbortSignal },
  ): AsyncGenerator<GatewayEvent, void> {
    const place = readPlace(after);
    if (signal.aborted) return;
    const { events: hasEvents } = await this.features.get(run);
    if (hasEvents && !place.isPolled && (place.id !== null || place.frames === 0)) {
      const isOver = yield* this.listen(run, place, signal);
      if (isOver || signal.aborted) return;
    }
    place.isPolled = true;
    yield* this.poll(run, place, signal);
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

  /** @returns whether the end was told; false: it is to be asked for its state */
  private async *listen(run: GatewayRunRef, place: Place, signal: AbortSignal): AsyncGenerator<GatewayEvent, boolean> {
    for (;;) {
      const before = place.id;
      let failure: GatewayUnreachableError | null = null;
      try {
        for await (const { id, data } of this.framesOf(run, place, signal)) {
          if (id !== null && place.id !== null && id <= place.id) continue;
          const missed = id !== null && place.id !== null ? id - place.id - 1 : 0;
          place.id = id ?? place.id;
          place.frames += 1;
          const told = translate(data, run.gatewayRunId);
          if (!told) continue;
          if (missed > 0) told.data.missed = missed;
          yield toEvent(place, told);
          if (ENDS.has(told.event)) return true;
        }
      } catch (error) {
        if (signal.aborted) return false;
        if (!(error instanceof GatewayUnreachableError)) throw error;
        failure = error;
      }
      // It knows nothing of them any more, or cannot be read: it is asked for its state.
      if (signal.aborted || failure === null || failure instanceof UnreadableError) return false;
      if (place.id !== null && place.id !== before) continue;
      // Without numbers there is no way back into a stream that has begun.
      if (place.id === null && place.frames > 0) return false;
      throw failure;
    }
  }

  private async *framesOf(run: GatewayRunRef, place: Place, signal: AbortSignal) {
    const ending = new AbortController();
    const hangUp = () => ending.abort();
    signal.addEventListener('abort', hangUp);
    try {
      const number = place.id === null ? null : String(place.id);
      const response = await this.client.open(
        run,
        `${pathOf(run)}/events${number === null ? '' : `?last_seq=${number}`}`,
        { accept: 'text/event-stream', ...(number !== null && { 'last-event-id': number }) },
        ending,
      );
      const type = response.headers.get('content-type') ?? '';
      if (response.status !== 200 || !/^text\/event-stream\b/i.test(type)) {
        const answer = { status: response.status, body: await readObject(response).catch(() => null) };
        if (isRunUnknown(answer)) return;
        const isPassing = response.status >= 500 || response.status === 429 || response.status === 401;
        const Failure = isPassing ? GatewayUnreachableError : UnreadableError;
        throw new Failure(`The gateway tells no events: ${response.status}.`);
      }
      yield* readFrames(
        (response.body ?? []) as AsyncIterable<Uint8Array>,
        ending,
        this.options.silenceMs ?? SILENCE_MS,
      );
      throw new GatewayUnreachableError('The stream of the gateway ended before the run.');
    } finally {
      signal.removeEventListener('abort', hangUp);
      ending.abort();
    }
  }

  /** What can be told of a run by asking how it stands. */
  private async *poll(run: GatewayRunRef, place: Place, signal: AbortSignal): AsyncGenerator<GatewayEvent, void> {
    const shortest = this.options.pollMs ?? POLL_MS;
    let unknown = 0;
    for (let pause = shortest; !signal.aborted; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
      const record = await this.recordOf(run);
      const now = { at: new Date() };
      if (record === null) {
        unknown += 1;
        // Said twice, it is so: it was restarted, or has long forgotten the end.
        if (unknown > 1) {
          const error = 'The agent could not be reached any more, and what became of this run is not known.';
          yield toEvent(place, { event: 'run.failed', data: { error, code: 'gateway_lost' }, ...now });
          return;
        }
      } else {
        unknown = 0;
        yield* toldByState(place, record);
        if (ENDS.has(`run.${toRunOrThrow(record).status}`)) return;
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  private async recordOf(run: GatewayRunRef): Promise<Data | null> {
    const answer = await this.client.call(run, 'GET', pathOf(run));
    if (answer.status === 200 && answer.body) {
      if (answer.body.run_id === undefined || answer.body.run_id === run.gatewayRunId) return answer.body;
      throw new GatewayUnreachableError('The gateway answered with another run.');
    }
    if (isRunUnknown(answer)) return null;
    throw new GatewayUnreachableError(`The gateway does not say how the run stands: ${answer.status}.`);
  }

  private async post(run: GatewayRunRef, action: string, body: Data): Promise<Data> {
    const answer = await this.client.call(run, 'POST', `${pathOf(run)}/${action}`, { body });
    if (answer.status === 200 && answer.body) return answer.body;
    if (isRunUnknown(answer)) throw new GatewayRefusedError('There is no such run.', 404, 'run_not_found');
    throw toFailure(answer, codeOf(answer) || 'gateway_refused');
  }

  /** The first generation answers its oldest question, whichever is meant. */
  private async requireShown(run: GatewayRunRef, requestId: string): Promise<void> {
    const shown = (await this.recordOf(run))?.approval;
    if (isDictionary(shown) && typeof shown.request_id === 'string' && shown.request_id !== requestId)
      throw new GatewayRefusedError('Another question of the agent waits.', 409, 'approval_not_pending');
  }
}

const pathOf = ({ gatewayRunId }: GatewayRunRef): string => `/v1/runs/${encodeURIComponent(gatewayRunId)}`;

const startUnclear = (): GatewayRefusedError =>
  new GatewayRefusedError(
    'Whether the agent has begun is not known, and it could not be asked again without beginning twice.',
    409,
    'start_unclear',
  );

const unsupported = (what: string): GatewayRefusedError =>
  new GatewayRefusedError(`This gateway does not take ${what}.`, 409, 'not_supported');

function toRunOrThrow(record: Data): GatewayRun {
  const run = toRun(record);
  if (!run) throw new GatewayUnreachableError('The gateway names a state that is not known.');
  return run;
}

function toRequest({ input, instructions, model, sessionId, attachedFiles }: GatewayTask): Data {
  const files = attachedFiles.length === 0 ? '' : `\n\nAttached, by their ids in Atrium: ${attachedFiles.join(', ')}`;
  return {
    input: `${input}${files}`,
    ...(instructions !== '' && { instructions }),
    ...(model !== '' && { model }),
    ...(sessionId !== null && { session_id: `atrium-${sessionId}` }),
  };
}

function toEvent(place: Place, told: Told): GatewayEvent {
  pass(place, told.event, told.data);
  return { ...told, cursor: writePlace({ ...BEGINNING, ...place }) };
}

function* toldByState(place: Place, record: Data): Generator<GatewayEvent, void> {
  const run = toRunOrThrow(record);
  const at = new Date();
  const asks = run.status === 'waiting_for_approval';
  const question = isDictionary(record.approval) ? record.approval : null;
  const id = typeof question?.request_id === 'string' ? question.request_id.slice(0, ASK_AT_MOST) : '';
  const isOther = asks && place.asked !== null && id !== '' && place.asked !== id;
  if (place.asked !== null && (!asks || isOther))
    yield toEvent(place, {
      event: 'approval.responded',
      data: { request_id: place.asked, choice: null, resolved: 1 },
      at,
    });
  if (asks && place.asked === null) {
    // Nobody agrees to what they cannot read.
    const data = question
      ? toQuestion(question, at)
      : { ...toQuestion({}, at), choices: ['deny'], allow_permanent: false };
    yield toEvent(place, { event: 'approval.request', data, at });
  }
  if (run.status === 'completed') {
    const delta = untold(place, run.output ?? '');
    if (delta !== '') yield toEvent(place, { event: 'message.delta', data: { delta }, at });
    yield toEvent(place, { event: 'run.completed', data: { output: run.output ?? '', usage: run.usage }, at });
  } else if (run.status === 'failed')
    yield toEvent(place, {
      event: 'run.failed',
      data: { error: run.error ?? '', ...(run.output && { output: run.output }) },
      at,
    });
  else if (run.status === 'cancelled') yield toEvent(place, { event: 'run.cancelled', data: {}, at });
}
