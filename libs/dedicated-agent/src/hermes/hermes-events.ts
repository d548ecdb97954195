import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayEvent, type GatewayRunRef, GatewayUnreachableError } from '../gateway/agent-gateway.js';
import { type HermesClient, type HermesOptions, isRunUnknown, readObject } from './hermes-client.js';
import type { FeatureDetection } from './hermes-features.js';
import { type Place, readPlace } from './hermes-place.js';
import { endByState, pathOf, questionsByState, readRecord, toEvent, toRunOrThrow } from './hermes-record.js';
import { type Frame, readFrames, UnreadableError } from './read-frames.js';
import { type Told, toRun, translate } from './translate.js';

/** Keepalives come each 30 seconds at most. */
const SILENCE_MS = 120_000;
const POLL_MS = 1000;
const LONGEST_POLL_MS = 5000;
/** How often in a row a stream may be refused, or tell what cannot be read, before the run is asked for its state. */
const MOST_FAILURES = 3;
/** How often a run is asked for its state before its stream is tried again, where that can be gone on with. */
const POLLS_BETWEEN = 5;
const ENDS = new Set(['run.completed', 'run.failed', 'run.cancelled']);

/** `refused`: there was no stream, and nothing of one is lost; `forgotten`: what it told cannot be had again. */
type Heard = 'end' | 'refused' | 'forgotten';

/** The answer is no stream of events at all, so that nothing of one is lost by it. */
class NoStreamError extends GatewayUnreachableError {}

/** What is told of runs: by their streams as long as these can be read, and else by how they stand. */
export class HermesEvents {
  constructor(
    private readonly client: HermesClient,
    private readonly features: FeatureDetection,
    private readonly options: HermesOptions,
  ) {}

  async *of(
    run: GatewayRunRef,
    { after, signal }: { after: string | null; signal: AbortSignal },
  ): AsyncGenerator<GatewayEvent, void> {
    const place = readPlace(after);
    if (signal.aborted) return;
    const { events: hasEvents } = await this.features.get(run);
    for (let isLast = false; !signal.aborted;) {
      const canListen = hasEvents && !place.isPolled && (place.id !== null || place.frames === 0);
      const heard: Heard = canListen ? yield* this.listen(run, place, signal) : 'forgotten';
      if (heard === 'end' || signal.aborted) return;
      // Where nothing is lost yet, what the state cannot tell may still be read: it is tried again, once more after the end.
      const isResumable = canListen && (place.id !== null || heard === 'refused');
      place.isPolled = !isResumable;
      const seen: 'told' | 'ended' | 'at work' = yield* this.poll(
        run,
        place,
        signal,
        isResumable && !isLast ? POLLS_BETWEEN : Infinity,
      );
      if (seen === 'told') return;
      isLast = seen === 'ended';
    }
  }

  private async *listen(run: GatewayRunRef, place: Place, signal: AbortSignal): AsyncGenerator<GatewayEvent, Heard> {
    let failures = 0;
    let unreadable: number | null = null;
    let passedOver: number | null = null;
    let gap = 0;
    const asked = new Set<unknown>();
    for (;;) {
      const before = place.id;
      let failure: GatewayUnreachableError | null = null;
      try {
        for await (const { id, data } of this.framesOf(run, passedOver ?? place.id, signal)) {
          if (id !== null && place.id !== null && id <= place.id) continue;
          const missed = id === null ? 0 : Math.max(0, id - (place.id ?? 0) - 1);
          place.id = id ?? place.id;
          place.frames += 1;
          failures = 0;
          passedOver = null;
          gap += missed;
          if (missed > 0) yield* this.acrossGap(run, place, asked);
          const told = translate(data, run.gatewayRunId);
          if (!told || (told.event === 'approval.request' && asked.has(told.data.request_id))) continue;
          if (gap > 0) told.data.missed = gap;
          gap = 0;
          if (ENDS.has(told.event)) await this.addUsage(run, told);
          yield toEvent(place, told);
          if (ENDS.has(told.event)) return 'end';
        }
      } catch (error) {
        if (signal.aborted) return 'forgotten';
        if (!(error instanceof GatewayUnreachableError)) throw error;
        failure = error;
      }
      // It knows nothing of them any more: it is asked for its state.
      if (signal.aborted || failure === null) return 'forgotten';
      const isNothingLost = place.id !== null || place.frames === 0;
      if (failure instanceof NoStreamError || failure instanceof UnreadableError) {
        failures += 1;
        if (failure instanceof UnreadableError && failure.at !== null) {
          // Twice the same: it would be told again each time.
          if (unreadable === failure.at) passedOver = failure.at;
          unreadable = failure.at;
        }
        if (!isNothingLost || failures > MOST_FAILURES)
          return failure instanceof NoStreamError && isNothingLost ? 'refused' : 'forgotten';
        await sleep(failures * (this.options.pollMs ?? POLL_MS), undefined, { signal }).catch(() => undefined);
        continue;
      }
      if (place.id !== null && place.id !== before) continue;
      // Without numbers there is no way back into a stream that has begun.
      if (!isNothingLost) return 'forgotten';
      throw failure;
    }
  }

  /** What is gone for good may have been an answer to the question that waits, or a question. */
  private async *acrossGap(run: GatewayRunRef, place: Place, asked: Set<unknown>): AsyncGenerator<GatewayEvent, void> {
    const record = await readRecord(this.client, run);
    if (!record || !toRun(record)) return;
    for (const event of questionsByState(place, record)) {
      if (event.event === 'approval.request') asked.add(event.data.request_id);
      yield event;
    }
  }

  /** Ends that do not say what the run has used leave that to its state. */
  private async addUsage(run: GatewayRunRef, { data }: Told): Promise<void> {
    if (data.usage) return;
    const record = await readRecord(this.client, run).catch(() => null);
    const usage = record && toRun(record)?.usage;
    if (usage) data.usage = usage;
  }

  private async *framesOf(run: GatewayRunRef, behind: number | null, signal: AbortSignal): AsyncGenerator<Frame, void> {
    const ending = new AbortController();
    const hangUp = () => ending.abort();
    signal.addEventListener('abort', hangUp);
    try {
      const number = behind === null ? null : String(behind);
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
        const Failure = isPassing ? GatewayUnreachableError : NoStreamError;
        throw new Failure(`The gateway tells no events: ${response.status}.`);
      }
      const silenceMs = this.options.silenceMs ?? SILENCE_MS;
      yield* readFrames((response.body ?? []) as AsyncIterable<Uint8Array>, ending, silenceMs);
      throw new GatewayUnreachableError('The stream of the gateway ended before the run.');
    } finally {
      signal.removeEventListener('abort', hangUp);
      ending.abort();
    }
  }

  /**
   * What can be told of a run by asking how it stands.
   * @param most questions; where these are not all, the end is left to its stream
   * @returns `told`: its end was; `ended`: it was not yet
   */
  private async *poll(
    run: GatewayRunRef,
    place: Place,
    signal: AbortSignal,
    most: number,
  ): AsyncGenerator<GatewayEvent, 'told' | 'ended' | 'at work'> {
    const shortest = this.options.pollMs ?? POLL_MS;
    let unknown = 0;
    let pause = shortest;
    for (let asked = 0; !signal.aborted && (asked < most || unknown > 0); asked += 1) {
      const record = await readRecord(this.client, run);
      if (record === null) {
        unknown += 1;
        // Said twice, it is so: it was restarted, or has long forgotten the end.
        if (unknown > 1) {
          const error = 'The agent could not be reached any more, and what became of this run is not known.';
          yield toEvent(place, { event: 'run.failed', data: { error, code: 'gateway_lost' }, at: new Date() });
          return 'told';
        }
      } else {
        unknown = 0;
        const isOver = ENDS.has(`run.${toRunOrThrow(record).status}`);
        if (isOver && most !== Infinity) return 'ended';
        yield* questionsByState(place, record);
        yield* endByState(place, record);
        if (isOver) return 'told';
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(pause * 1.5, LONGEST_POLL_MS);
    }
    return 'at work';
  }
}
