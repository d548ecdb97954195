import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from '../lib/paths.mjs';
import { heading, say } from './print.mjs';

const FILE = 'trips.csv';
const QUESTION = 'What is the total cost by city?';

/** Uploads a table, asks it, and shows the answer with the SQL that it rests on. @returns its uid */
export async function askTable(client) {
  heading(`Upload a table (${FILE}) and ask it: ${QUESTION}`);
  const path = inRoot('test', 'fixtures', 'documents', 'demo', FILE);
  const { uid } = await client.upload('/database-search/upload/', {
    path: new File([await readFile(path)], FILE),
    folder: 'Demo',
  });
  const file = await imported(client, uid);
  for (const { name, row_count, columns } of file.tables)
    say(`${name}: ${row_count} rows; ${columns.map((column) => `${column.name} ${column.type}`).join(', ')}`);
  const answer = await client.post('/database-search/chat/', { uid, message: QUESTION });
  say(answer.answer);
  say(`  sql: ${answer.sql}`);
  for (const row of answer.rows) say(`  ${Object.values(row).join(' | ')}`);
  return uid;
}

async function imported(client, uid) {
  for (;;) {
    const files = await client.get('/database-search/documents/');
    const file = files.find((one) => one.uid === uid);
    if (file.processing_state === 'completed') return file;
    if (file.processing_state === 'failed') throw new Error(`${FILE} ended as failed: ${file.last_error}`);
    await sleep(150);
  }
}
