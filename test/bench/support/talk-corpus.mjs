import fs from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../corpora/follow-ups');
const LINE = /^([QAFSM])(!?) (.+)$/;

/**
 * A half of test/bench/corpora/follow-ups: documents, and questions with the pages that answer them. `F` leans on its
 * conversation, `S` stands in one and leans on nothing, `M` asks for several things; `!` marks what the scripted model
 * gets wrong. The answers of a conversation are those written there, or the page that holds what was asked for.
 */
export function readTalks(half) {
  const text = fs.readFileSync(path.join(FOLDER, `${half}.md`), 'utf8');
  const parts = text.split(/^=== /m).slice(1);
  const documents = parts
    .filter((part) => !part.startsWith('questions\n'))
    .map((part) => {
      const end = part.indexOf('\n');
      const pages = part.slice(end + 1).split(/^--- page\n/m);
      return { filename: part.slice(0, end), pages: pages.map((page) => page.trim()) };
    });
  const pageOf = ({ stem, page }) => documents.find(({ filename }) => filename === `${stem}.txt`).pages[page - 1];
  const questions = [];
  let history = [];
  for (const line of parts.at(-1).split('\n').slice(1)) {
    if (line.trim() === '') {
      history = [];
      continue;
    }
    const [, kind, wrong, rest] = LINE.exec(line);
    if (kind === 'A') history = [...history.slice(0, -1), { role: 'assistant', content: rest }];
    else if (kind === 'Q')
      history = [
        { role: 'user', content: rest },
        { role: 'assistant', content: '' },
      ];
    else {
      const [asked, places, written = ''] = rest.split(' => ');
      const wanted = places.split(', ').map((place) => {
        const [stem, page] = place.split('@');
        return { stem, filename: `${stem}.txt`, page: Number(page) };
      });
      const queries = written === '' ? [asked] : written.split(' | ');
      const told = kind === 'M' ? [] : history;
      questions.push({ kind, isWrong: wrong === '!', asked, wanted, queries, history: told });
      const answer = wanted.map(pageOf).join('\n');
      history = [...history, { role: 'user', content: asked }, { role: 'assistant', content: `> ${answer}` }];
    }
  }
  return { documents, questions };
}
