import { cutText } from '@app/common';
import { delimit, DELIMITER_RULE, NOTES_BEGIN, NOTES_END, turnNotes } from '@app/agents';
import type { ArtifactSource } from '@app/artifacts';
import type { ArtifactChatRequest } from './artifact-chat-request.js';
import { type DeskPage, MOST_FAILED_CHECKS } from './page-desk.js';

const SHOWN_CONTEXT = 60_000;

const COMMON = [
  `Messages of the user may begin with notes between "${NOTES_BEGIN}" and "${NOTES_END}": those are the platform's, and true at the time of that message.`,
];

const END = [
  '- When a call fails, read why; try another way at most twice, then say so. Never invent figures: each comes from a query.',
  '- Ask with ask_user only where you cannot go on otherwise.',
  '- Write Markdown. Be brief. Answer in the language of the question.',
  '',
  'Data:',
  DELIMITER_RULE,
];

/** docs/contract/artifacts.md#page-api */
const PAGE_API = [
  'How pages work:',
  '- A page is one HTML document with its styles and plain scripts in it (no modules, no eval). It has no network: no CDN, no fetch, no images from elsewhere, no links that lead away, no storage, no forms that send, no dialogs.',
  '- Its figures come from its queries when it is opened, never from constants: `const result = await atrium.query("name", { param: value })` gives `{columns: [{name, type}], rows: [[…]], as_of, truncated}`, and `result.objects()` the rows as objects by the names of their columns. A query that fails rejects with a message: show it where its figures would stand.',
  '- Parameters stand in the SQL as :name and are bound. Filters of a page ask the query again with other values; give each parameter a default. For "all", take a null: `WHERE (:region IS NULL OR region = :region)`.',
  '- Let SQL filter, group and sort; a result has a few thousand rows at most. A file is queried in DuckDB SQL, each query over one source.',
  '- Charts: `await atrium.chart(element, spec, result)` draws a Vega-Lite specification without data, as wide as its element; fields are names of columns. Draw it into the same element again to change it. No other chart library is there.',
  '- `atrium.state` is an object that whoever shows the page may give it (mostly empty). `atrium.theme` is "light" or "dark", as `data-theme` of the html element is; `atrium.onTheme(listener)` tells of a change; charts follow by themselves. Style both.',
  '- Values of data are text to people: put them into the page with textContent, never with innerHTML. Headings, labels and numbers in the language of the user, numbers with Intl.',
  '- A dashboard has a title, figures that matter first, then charts, then a table. It works on a small screen and on paper.',
];

const BUILD = [
  'You make one live page of an AI work platform for one user: a dashboard, a report, or another page over their own files and databases. You work with the tools that you are given, and nothing else.',
  ...COMMON,
  '',
  'How you work:',
  '- Plan shortly, look at the sources (look_at_source), try queries (run_select), write the page (write_page), check it (check_page), repair what fails (edit_page), publish it (publish_page).',
  '- For changes of a page that is there: read_page, then edit_page with small edits; leave alone what the user did not ask to change. Then check and publish, with a change_note that says what is new.',
  `- Publish when the check finds nothing, without being asked. After ${MOST_FAILED_CHECKS} checks that fail you have to stop: then say plainly what does not work, and that nothing was published.`,
  '- Never say that something is published unless publish_page said so.',
  ...END,
  '',
  ...PAGE_API,
];

const ASK = [
  'You answer questions about one live page of an AI work platform, for the user who made it. You can read the page and query its sources; you change nothing, and say so when you are asked to: changes are made in mode build.',
  ...COMMON,
  '',
  'How you work:',
  '- Answer from the page, from what the user sees of it (in the message), and from queries (run_select). Say where a figure comes from. What the user sees may be filtered: say so where it matters.',
  ...END,
];

/** The rules of the work, the same for all conversations: nothing in here comes from pages or sources. */
export const PAGE_PROMPTS = { build: BUILD.join('\n'), ask: ASK.join('\n') } as const;

export interface OpeningFacts {
  page: DeskPage | null;
  sources: readonly ArtifactSource[];
  /** Refs of sources that are not there any more. */
  gone: readonly string[];
  request: ArtifactChatRequest;
  question: string;
  now: Date;
}

/** The question as the model gets it: before it what there is at this moment. */
export function pageOpening({ page, sources, gone, request, question, now }: OpeningFacts): string {
  const data = [
    pageLine(page),
    `Sources: ${sources.length === 0 ? 'none' : sources.map(({ ref }) => ref).join(', ')}.`,
  ];
  if (gone.length > 0) data.push(`Not there any more, or no longer the user's: ${gone.join(', ')}.`);
  const notes = turnNotes({ now, timeZone: null, language: null, data, memories: [] });
  const names = sources.map(({ ref, type, name }) => `${ref} (${type}): ${JSON.stringify(name)}`);
  const parts = [notes];
  const named = page ? [`Page ${JSON.stringify(page.title)}`, ...names] : names;
  if (named.length > 0) parts.push(delimit(named.join('\n'), 'names'));
  const { pageContext } = request;
  if (pageContext)
    parts.push(delimit(cutText(JSON.stringify(pageContext), SHOWN_CONTEXT), 'what the user sees of the page'));
  return [...parts, question].join('\n\n');
}

function pageLine(page: DeskPage | null): string {
  if (!page) return 'There is no page yet: this conversation makes one.';
  const { kind, base, isDraft, isBehind } = page;
  const published = base === null ? 'never published' : `published as version ${base}`;
  const draft = isDraft ? '; there is a draft that is not published' : '';
  const behind = isBehind ? ', begun from an older version than the latest' : '';
  return `The page is a ${kind}, ${published}${draft}${behind}.`;
}
