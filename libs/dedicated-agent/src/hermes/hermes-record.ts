import { isDictionary } from '@app/common';
import {
  type GatewayEvent,
  type GatewayRun,
  type GatewayRunRef,
  GatewayUnreachableError,
} from '../gateway/agent-gateway.js';
import { type HermesClient, isRunUnknown } from './hermes-client.js';
import { BEGINNING, pass, type Place, untold, writePlace } from './hermes-place.js';
import { type Told, toQuestion, toRun } from './translate.js';

type Data = Record<string, unknown>;

const ASK_AT_MOST = 256;

export const pathOf = ({ gatewayRunId }: GatewayRunRef): string => `/v1/runs/${encodeURIComponent(gatewayRunId)}`;

/** How a run stands; null: the gateway says that it knows no such run. @throws GatewayUnreachableError */
export async function readRecord(client: HermesClient, run: GatewayRunRef): Promise<Data | null> {
  const answer = await client.call(run, 'GET', pathOf(run));
  if (answer.status === 200 && answer.body) {
    if (answer.body.run_id === undefined || answer.body.run_id === run.gatewayRunId) return answer.body;
    throw new GatewayUnreachableError('The gateway answered with another run.');
  }
  if (isRunUnknown(answer)) return null;
  throw new GatewayUnreachableError(`The gateway does not say how the run stands: ${answer.status}.`);
}

/** @throws GatewayUnreachableError for a state that is not known */
export function toRunOrThrow(record: Data): GatewayRun {
  const run = toRun(record);
  if (!run) throw new GatewayUnreachableError('The gateway names a state that is not known.');
  return run;
}

/** Moves the place behind what is told. */
export function toEvent(place: Place, told: Told): GatewayEvent {
  pass(place, told.event, told.data);
  return { ...told, cursor: writePlace({ ...BEGINNING, ...place }) };
}

/** What the state says of questions, beside what was told of them. */
export function* questionsByState(place: Place, record: Data): Generator<GatewayEvent, void> {
  const at = new Date();
  const asks = toRunOrThrow(record).status === 'waiting_for_approval';
  const question = isDictionary(record.approval) ? record.approval : null;
  const id = typeof question?.request_id === 'string' ? question.request_id.slice(0, ASK_AT_MOST) : '';
  const isOther = asks && place.asked !== null && id !== '' && place.asked !== id;
  if (place.asked !== null && (!asks || isOther))
    yield toEvent(place, {
      event: 'approval.responded',
      data: { request_id: place.asked, choice: null, resolved: 1 },
      at,
    });
  if (!asks || place.asked !== null) return;
  // Nobody agrees to what they cannot read.
  const data = question
    ? toQuestion(question, at)
    : { ...toQuestion({}, at), choices: ['deny'], allow_permanent: false };
  yield toEvent(place, { event: 'approval.request', data, at });
}

/** What the state says of the end, with what is missing of the answer; nothing while it is at work. */
export function* endByState(place: Place, record: Data): Generator<GatewayEvent, void> {
  const { status, output, usage, error } = toRunOrThrow(record);
  const at = new Date();
  if (status === 'completed') {
    const delta = untold(place, output ?? '');
    if (delta !== '') yield toEvent(place, { event: 'message.delta', data: { delta }, at });
    yield toEvent(place, { event: 'run.completed', data: { output: output ?? '', usage }, at });
  } else if (status === 'failed') {
    const data = { error: error ?? '', ...(output && { output }), ...(usage && { usage }) };
    yield toEvent(place, { event: 'run.failed', data, at });
  } else if (status === 'cancelled') yield toEvent(place, { event: 'run.cancelled', data: usage ? { usage } : {}, at });
}
