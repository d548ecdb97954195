import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../lib/paths.mjs';
import { heading, say } from './print.mjs';

const ENDED = new Set(['COMPLETED', 'FAILED', 'STOPPED']);

/** A page over the table, by a workflow without a model. @returns an address that shows it, good for 5 minutes */
export async function publishPage(client, tableUid) {
  heading('Publish a page over the table by a workflow, without a model');
  const { workflow_id: id } = await client.post('/microservices/workflow/start/', {
    json: { name: 'Page of trips', nodes: [await pageNode(`file:${tableUid}`)] },
  });
  await client.post('/microservices/workflow/rerun/', { workflow_id: id });
  await untilEnded(client, id);
  const [node] = await client.get(`/microservices/workflow/${id}/nodes/`);
  if (node.status !== 'COMPLETED') throw new Error(`The page was not published: ${JSON.stringify(node.error)}`);
  const { artifact_id: artifactId, version, title } = node.output;
  const { url } = await client.post(`/microservices/artifacts/${artifactId}/render-url/`, {});
  say(`${title}, version ${version}. Its numbers are read from the table whenever somebody looks.`);
  say(`Open within 5 minutes: ${url}`);
  return url;
}

async function pageNode(sourceRef) {
  const params = [{ name: 'city', type: 'text', default: null }];
  return {
    id: 'page',
    kind: 'publish_artifact',
    params: {
      title: 'Trips',
      kind: 'dashboard',
      content: await readFile(inRoot('scripts', 'demo', 'trips-page.html'), 'utf8'),
      queries: [
        {
          name: 'total',
          source_ref: sourceRef,
          sql: `SELECT count(*) AS trips, sum(nights) AS nights, sum(cost_eur) AS cost FROM trips WHERE :city IS NULL OR city = :city`,
          params,
        },
        {
          name: 'by_city',
          source_ref: sourceRef,
          sql: 'SELECT city, sum(cost_eur) AS cost FROM trips GROUP BY city ORDER BY city',
        },
      ],
      change_note: 'Made by the demo.',
    },
  };
}

async function untilEnded(client, id) {
  for (;;) {
    const { status } = await client.get(`/microservices/workflow/${id}/`);
    if (ENDED.has(status)) return;
    await sleep(100);
  }
}
