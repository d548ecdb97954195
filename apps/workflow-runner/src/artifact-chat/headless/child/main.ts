import type { PageNews, PageOrder, PageOutcome } from '../page-messages.js';
import { PageVisit } from './page-visit.js';

// One page, one report. What the page does to this process ends with it; whoever started it ends it.

const waiting = new Map<number, (outcome: PageOutcome) => void>();
let asked = 0;

const tell = (news: PageNews) => process.send?.(news);

function ask(name: string, params: Record<string, unknown>): Promise<PageOutcome> {
  const id = asked++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    tell({ type: 'query', id, name: name.slice(0, 200), params });
  });
}

process.on('message', (order: PageOrder) => {
  if (order.type === 'hello') return void tell({ type: 'ready' });
  if (order.type === 'outcome') {
    waiting.get(order.id)?.(order.outcome);
    waiting.delete(order.id);
    return;
  }
  void new PageVisit(order, ask).report().then((report) => tell({ type: 'done', report }));
});
// A script may never come to an end; nothing gentler would end it.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
