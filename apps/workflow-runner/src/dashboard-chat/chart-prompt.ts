import { delimit, DELIMITER_RULE, NOTES_BEGIN, NOTES_END, turnNotes } from '@app/agents';
import { type ChartFilter, type ChartHead, filterInWords, type SeenBoard } from '@app/artifacts';
import { cutLine } from '@app/common';
import type { OpenChart } from './chart-desk.js';
import { cautionsOf, shortCell } from './chart-words.js';

/** Of what stands before a question, in characters. */
const SHOWN_CHARTS = 40_000;
const SHOWN_BOARD = 4_000;
const SHOWN_FILTERS = 8_000;
const SHOWN_ROWS = 5;
const SHOWN_CELL = 100;
const SHOWN_SQL = 500;
const SHOWN_TITLE = 200;

/** The rules of the work, the same for all conversations: nothing in here comes from charts. */
export const CHART_PROMPT = [
  'You answer questions about charts of an AI work platform, for one user who sees them. You read their rows with the tools that you are given, and nothing else: you change nothing, and there are no other tables, documents or services for you.',
  `Messages of the user may begin with notes between "${NOTES_BEGIN}" and "${NOTES_END}": those are the platform's, and true at the time of that message.`,
  '',
  'How you work:',
  '- Each figure comes from rows: count, sum, compare and rank with query_rows, not by reading. Never invent figures. Say from which chart one comes where there are several.',
  '- The filters of the user are applied before you see anything: rows that do not pass do not exist for you. They may be others with each message: what was read for an earlier one does not answer a later one, so read again. Say that an answer is filtered where that matters, also that a chart is not filtered by a column that it does not have.',
  '- Each chart comes with cautions. Where an answer rests on one that is cut off, say that it does not hold all rows; where something that it was drawn of is gone, say as of when it is.',
  '- When a call fails, read why; try another way at most twice, then say so. What charts do not tell, say that they do not.',
  '- Write Markdown. Be brief. Answer in the language of the question, unless the notes name another.',
  '',
  'Data:',
  DELIMITER_RULE,
].join('\n');

export interface ChartFacts {
  /** In words, `chartInWords` or `headInWords`. */
  charts: readonly string[];
  board: SeenBoard | null;
  filters: readonly ChartFilter[];
  question: string;
  language: string | null;
  now: Date;
}

/** The question as the model gets it: before it what the charts are like at this moment. */
export function chartOpening({ charts, board, filters, question, language, now }: ChartFacts): string {
  const count = charts.length;
  const notes = turnNotes({
    now,
    timeZone: null,
    language,
    data: [
      `The question is about ${count} ${count === 1 ? 'chart' : 'charts'}${board ? ' of a board' : ''}.`,
      filters.length === 0 ? 'The user has filtered nothing.' : 'The user has filtered the rows: see the filters.',
    ],
    memories: [],
  });
  const parts = [notes];
  if (board) parts.push(delimit(boardInWords(board).slice(0, SHOWN_BOARD).toWellFormed(), 'board'));
  if (filters.length > 0)
    parts.push(
      delimit(filters.map(filterInWords).join('\n').slice(0, SHOWN_FILTERS).toWellFormed(), 'filters of the user'),
    );
  const share = Math.floor(SHOWN_CHARTS / Math.max(count, 1));
  if (count > 0) parts.push(delimit(charts.map((text) => text.slice(0, share).toWellFormed()).join('\n\n'), 'charts'));
  return [...parts, question].join('\n\n');
}

/** Of one whose rows are not shown. */
/** What has to be known comes first: the rest may be cut off. */
export function headInWords(
  { mgid, title, chartType, columns, refreshedAt }: ChartHead,
  cautions: readonly string[] = [],
): string {
  return [
    `Chart ${JSON.stringify(cutLine(title, SHOWN_TITLE))}, mgid ${mgid}, ${chartType}, as of ${refreshedAt.toISOString()}.`,
    ...(cautions.length > 0 ? [`Cautions: ${cautions.join(' ')}`] : []),
    `Columns: ${columns.map(({ name, type }) => `${JSON.stringify(name)} (${type})`).join(', ')}.`,
  ].join('\n');
}

export function chartInWords(chart: OpenChart): string {
  const { rows, source } = chart;
  const sample = rows.slice(0, SHOWN_ROWS).map((row) => JSON.stringify(row.map((cell) => shortCell(cell, SHOWN_CELL))));
  return [
    headInWords(chart, cautionsOf(chart)),
    `${rows.length} rows${rows.length > sample.length ? `, the first ${sample.length}` : ''}:`,
    ...sample,
    ...(source.sql === null
      ? []
      : [`Its query: ${source.sql.replaceAll(/\s+/g, ' ').slice(0, SHOWN_SQL).toWellFormed()}`]),
  ].join('\n');
}

function boardInWords({ name, texts, others }: SeenBoard): string {
  return [
    `Board ${JSON.stringify(name)}.`,
    ...(others.length === 0
      ? []
      : [
          `Also on it, and not for you to read: ${others.map((other) => `${other.kind} ${JSON.stringify(other.name)}`).join(', ')}.`,
        ]),
    ...texts.map((text) => `Text: ${text}`),
  ].join('\n');
}
