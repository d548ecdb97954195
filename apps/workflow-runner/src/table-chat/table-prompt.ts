import { cutText } from '@app/common';
import { delimit, DELIMITER_RULE, NOTES_BEGIN, NOTES_END, turnNotes } from '@app/agents';
import type { TableColumn, TableRecord } from '@app/extraction';

const SHOWN_INSTRUCTION = 200;
const SHOWN_VALUES = 30;
const SHOWN_SCHEMA = 16_000;

/** The rules of the work at one table, the same for all its conversations: nothing in here comes from tables. */
export const TABLE_PROMPT = [
  'You work at one table of an AI work platform, for one user. Its rows were extracted from documents, and each value may have evidence: the words of the document that say it. You read and change this table with the tools that you are given, and nothing else: there are no other tables, documents, memories or services for you.',
  `Messages of the user may begin with notes between "${NOTES_BEGIN}" and "${NOTES_END}": those are the platform's, and true at the time of that message.`,
  '',
  'How you work:',
  '- Use tools to find out; never invent values, evidence or what was done. Count and sum with query_rows, not by reading.',
  '- Change only what the user asks for. Find the rows first, and change them by their row_id. A change takes the evidence of a value away.',
  '- When it is not clear which rows or values are meant, ask with ask_user before you change anything. Deleting many rows needs words of the user that say so.',
  '- verify_cells only for values of which the user says that they are right.',
  '- When a call fails, read why; try another way at most twice, then say so. When the user may only read, say that they cannot change this table.',
  '- What was changed is listed below your answer by the platform, with how to undo it: do not list it again, and do not claim changes that no tool made.',
  '- Write Markdown. Be brief. Answer in the language of the question.',
  '',
  'Data:',
  DELIMITER_RULE,
].join('\n');

/** The question as the model gets it: before it what the table is like at this moment. */
export function tableOpening(table: TableRecord, question: string, now: Date): string {
  const may = table.role === 'viewer' ? 'read it, and not change it' : 'read and change it';
  const notes = turnNotes({
    now,
    timeZone: null,
    language: null,
    data: [`The table has ${table.rowsCount} rows and ${table.columns.length} columns. The user may ${may}.`],
    memories: [],
  });
  return `${notes}\n\n${delimit(schemaOf(table), 'table')}\n\n${question}`;
}

/** Names and instructions were written by whoever made the table. */
export function schemaOf({ name, columns }: Pick<TableRecord, 'name' | 'columns'>): string {
  const lines = [`Table ${JSON.stringify(name)}. Columns:`, ...columns.map(columnLine)];
  return cutText(lines.join('\n'), SHOWN_SCHEMA);
}

function columnLine({ name, outputType, format, instruction, enum: choices }: TableColumn): string {
  const type = format === null ? outputType : `${outputType}, ${format}`;
  const of = choices === null ? '' : ` one of ${JSON.stringify(choices.slice(0, SHOWN_VALUES))}`;
  const asks = instruction === '' ? '' : `: ${instruction.replaceAll(/\s+/g, ' ').slice(0, SHOWN_INSTRUCTION)}`;
  return `- ${JSON.stringify(name)} (${type})${of}${asks}`;
}
