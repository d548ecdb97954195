// `npm run demo`: the main job of the platform, with real files, against the running platform. Shows what a client sees.
import { showAgent } from './demo/agent.mjs';
import { AtriumClient } from './demo/client.mjs';
import { answerQuestions, uploadAndWatch } from './demo/documents.mjs';
import { extractInvoices } from './demo/invoices.mjs';
import { publishPage } from './demo/page.mjs';
import { heading, say } from './demo/print.mjs';
import { askTable } from './demo/tables.mjs';
import { runWorkflow } from './demo/workflow.mjs';
import { DataFolder } from './lib/data-folder.mjs';
import { readSettings } from './lib/settings.mjs';

const { ATRIUM_URL, API_PORT, DEMO_USERNAME, DEMO_PASSWORD } = process.env;
/** Where `npm start` left it. */
const { apiUrl, demo, env = {} } = new DataFolder(readSettings().dataDir).read('platform');
const baseUrl = ATRIUM_URL ?? (API_PORT ? `http://localhost:${API_PORT}` : (apiUrl ?? 'http://localhost:3000'));
const username = DEMO_USERNAME ?? demo?.username ?? 'demo';
const password = DEMO_PASSWORD ?? demo?.password ?? 'demo-atrium-2026';

const client = new AtriumClient(baseUrl);
try {
  heading('Sign in');
  const me = await client.signIn(username, password);
  say(`Signed in at ${baseUrl} as ${me.username} (${me.email}).`);
  const documents = await uploadAndWatch(client);
  await answerQuestions(client, documents);
  const tableUid = await askTable(client);
  await publishPage(client, tableUid);
  await extractInvoices(client);
  await runWorkflow(client, documents);
  await showAgent(env);
  say('\nDone. Everything above is plain HTTP and one WebSocket: see /docs/ for the reference.');
} catch (error) {
  const away = error?.cause?.code === 'ECONNREFUSED';
  process.stderr.write(
    away ? `Nothing answers at ${baseUrl}. Start the platform first: npm start\n` : `The demo failed: ${error.stack}\n`,
  );
  process.exitCode = 1;
}
