// Whether one tenant's bulk work keeps another waiting: an upload beside thousands of re-embeddings of somebody else, from
// its request to its index, through the built api and indexer with the defaults of a deployment.
//   FAIRNESS_DOCUMENTS=5000 npm run bench -- answers fairness
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeployment } from '../support/deployment.mjs';

const DOCUMENTS = Number(process.env.FAIRNESS_DOCUMENTS ?? 1500);
const BATCH = 50;
const BAR_SECONDS = 10;
const UPLOADS = 5;

const note = (number) =>
  new File([`Note ${number}. ${'The heron stands in the shallow water and waits. '.repeat(40)}`], `note-${number}.txt`);

const seconds = (times) => times.map((time) => time.seconds.toFixed(2)).join(', ');

async function timedUpload(client, number) {
  const started = performance.now();
  const response = await client.upload(note(number));
  if (!response.ok) throw new Error(`upload: ${response.status} ${await response.text()}`);
  const { uid, queue_position: position } = await response.json();
  const [state] = (await client.settled([uid], { everyMs: 100, withinMs: 600_000 })).values();
  if (state.processing_state !== 'completed') throw new Error(state.last_error);
  return { seconds: (performance.now() - started) / 1000, position };
}

export async function run(bars) {
  const deployment = await startDeployment();
  try {
    const [bulk, other] = [await deployment.signUp(), await deployment.signUp()];
    const uids = [];
    for (let at = 0; at < DOCUMENTS; at += BATCH) {
      const files = Array.from({ length: Math.min(BATCH, DOCUMENTS - at) }, (_, index) => note(at + index));
      uids.push(...(await bulk.uploadBatch(files)).map(({ uid }) => uid));
    }
    await bulk.settled(uids, { everyMs: 500 });
    const { count } = await bulk.json('POST', '/semantic-search/re-embed/', { all: true });
    const waiting = async () => {
      const [row] = await deployment.dataSource.query(
        `SELECT count(*)::int AS count FROM documents WHERE processing_state IN ('queued', 'processing', 'pending_publish')`,
      );
      return row.count;
    };
    const others = [];
    const own = [];
    const left = [];
    for (let at = 0; at < UPLOADS; at += 1) {
      left.push(await waiting());
      others.push(await timedUpload(other, at));
      own.push(await timedUpload(bulk, DOCUMENTS + at));
      await sleep(200);
    }
    console.log(`${count} re-embeddings of one tenant; ${left.join(', ')} of them open at the uploads`);
    console.log(`positions that were told: ${others.map(({ position }) => position ?? 'at work').join(', ')}`);
    const worst = Math.max(...others.map((time) => time.seconds));
    bars.check(
      `upload of another tenant, s (bar ${BAR_SECONDS})`,
      seconds(others),
      worst < BAR_SECONDS && left[0] > 100,
    );
    const ownWorst = Math.max(...own.map((time) => time.seconds));
    bars.check(`upload of the same tenant, s (bar ${BAR_SECONDS})`, seconds(own), ownWorst < BAR_SECONDS);
    const before = await waiting();
    await sleep(3_000);
    const done = before - (await waiting());
    bars.check('bulk work goes on, documents/s', (done / 3).toFixed(1), before === 0 || done > 0);
  } finally {
    await deployment.stop();
  }
}
