// Ten editors save one workflow 1,000 times, each over what it last read: no save may be lost, and each loser has to get
// the newer workflow. `npm run bench -- saves [editors=10] [saves of each=100] [nodes=20]`.
import { startDeployment } from './support/deployment.mjs';
import { Bars, spread } from './support/figures.mjs';

const [editors, saves, nodes] = [10, 100, 20].map((fallback, index) => Number(process.argv[index + 2] ?? fallback));
const deployment = await startDeployment({ apps: ['api'] });
const bars = new Bars();

const start = {
  name: 'Shared',
  nodes: [
    { id: 'lines', kind: 'set', params: { fields: {} } },
    ...Array.from({ length: nodes - 1 }, (_, index) => ({
      id: `text_${index}`,
      kind: 'template',
      params: { template: `This is what node ${index} says.` },
    })),
  ],
};
/** Adds a line to what was seen: a save that was lost is a line that is missing in the end. */
const withLine = ({ nodes: [first, ...rest], ...spec }, line) => ({
  ...spec,
  nodes: [{ ...first, params: { fields: { ...first.params.fields, [line]: 1 } } }, ...rest],
});

try {
  const owner = await deployment.signUp();
  const { workflow_id: id } = await owner.json('POST', '/microservices/workflow/start/', { json: start });
  const path = `/microservices/workflow/${id}/`;
  const clients = [owner];
  while (clients.length < editors) {
    const client = await deployment.signUp();
    await deployment.dataSource.query(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, 'editor' FROM users WHERE username = $2`,
      [id, client.username],
    );
    clients.push(client);
  }
  const times = { saved: [], refused: [] };
  const revisions = new Set();
  let wrong = 0;
  const began = performance.now();
  await Promise.all(
    clients.map(async (client, editor) => {
      let seen = { json_spec: start, content_revision: 1 };
      for (let saved = 0; saved < saves;) {
        const json_spec = withLine(seen.json_spec, `${editor}-${saved}`);
        const sent = performance.now();
        const body = { name: 'Shared', json_spec, expected_content_revision: seen.content_revision };
        const response = await client.send('PUT', path, body);
        const answer = await response.json();
        (response.ok ? times.saved : times.refused).push(performance.now() - sent);
        if (response.ok) {
          if (answer.content_revision !== seen.content_revision + 1) wrong += 1;
          revisions.add(answer.content_revision);
          seen = { json_spec, content_revision: answer.content_revision };
          saved += 1;
        } else {
          const isNewer = response.status === 409 && answer.workflow?.content_revision > seen.content_revision;
          if (!isNewer) throw new Error(`${response.status} ${JSON.stringify(answer).slice(0, 300)}`);
          seen = answer.workflow;
        }
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const end = await owner.json('GET', path);
  const lines = Object.keys(end.json_spec.nodes[0].params.fields).length;
  const total = editors * saves;
  console.log(`${total} saves and ${times.refused.length} conflicts in ${seconds.toFixed(1)} s`);
  console.log(`saves ${spread(times.saved)}; conflicts ${times.refused.length > 0 ? spread(times.refused) : 'none'}`);
  bars.check('no lost update', `${lines} of ${total} lines are there`, lines === total);
  bars.check('one revision for each save', String(revisions.size), revisions.size === total && wrong === 0);
  bars.check('the last revision', String(end.content_revision), end.content_revision === total + 1);
  bars.finish();
} finally {
  await deployment.stop();
}
