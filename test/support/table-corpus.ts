// Read by Node as it stands (benchmarks) and compiled by tests: types that can be stripped, nothing else.
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, SystemClock } from '@app/common';
import type { LanguageModel } from '@app/integrations';
import {
  TableProfiles,
  TableQuestions,
  type OpenTabularDatabase,
  type QueryResult,
  type QueryRunner,
  type TabularColumn,
  type TabularTable,
  type TabularType,
} from '@app/tabular';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

/** A table with questions, and for each the right answer as SQL over `t`; null where any figure would be wrong. */
export interface TableCorpus {
  name: string;
  table: TabularTable;
  filename: string;
  rows: string;
  questions: { turns: string[]; expected: string | null }[];
}

/** As it came out: `wrong` is a figure that the right statement does not give. */
export interface Outcome {
  corpus: string;
  question: string;
  outcome: 'right' | 'wrong' | 'asked back' | 'refused';
  answer: string;
  sql: string | null;
}

export async function readCorpora(folder: string): Promise<TableCorpus[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.txt')).toSorted();
  return Promise.all(
    files.map(async (file) => parse(file.slice(0, -4), await readFile(join(folder, file), 'utf8'), folder)),
  );
}

/** Lines of a file: see test/bench/README.md. */
function parse(name: string, text: string, folder: string): TableCorpus {
  const [head = '', body = ''] = text.split('\nquestions\n');
  const lines = head
    .split('\n')
    .map((line) => ({ word: line.split(' ', 1)[0]!, rest: line.slice(line.indexOf(' ') + 1) }));
  const rest = (word: string) => lines.find((line) => line.word === word)?.rest;
  const columns = lines.filter(({ word }) => word === 'column').map((line) => columnOf(line.rest));
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  const csv = rest('csv');
  const rows =
    rest('select') ??
    (csv === undefined ? null : csvRows(join(folder, csv), columns)) ??
    `SELECT * FROM (VALUES ${rest('rows')}) v(${names})`;
  const totalRows = lines
    .filter(({ word }) => word === 'total')
    .map((line) => ({ row: Number(line.rest.split(' ')[0]), label: line.rest.slice(line.rest.indexOf(' ') + 1) }));
  const filename = rest('file')!;
  return {
    name,
    filename,
    rows,
    table: {
      name: filename.replace(/\.\w+$/, '').replaceAll(' ', '_'),
      sheet: rest('sheet') ?? null,
      rowCount: 0,
      columns,
      range: 'A1:Z99',
      firstRow: 2,
      contiguous: true,
      ...(totalRows.length > 0 ? { totalRows } : {}),
    },
    questions: body
      .split('\n')
      .filter((line) => line.includes(' => '))
      .map((line) => {
        const at = line.lastIndexOf(' => ');
        const expected = line.slice(at + 4).trim();
        return { turns: line.slice(0, at).split(' >> '), expected: expected === '!' ? null : expected };
      }),
  };
}

/** A file as people of Europe write them: `;`, decimal commas, `31.12.2024` or `31/12/2024`. */
function csvRows(path: string, columns: readonly TabularColumn[]): string {
  const read = `read_csv('${path.replaceAll("'", "''")}', delim = ';', header = true, all_varchar = true, names = [${columns.map(({ name }) => `'${name}'`).join(', ')}])`;
  const cells = columns.map(({ name, type }) =>
    type === 'number' || type === 'integer'
      ? `replace(replace(replace("${name}", '.', ''), ' ', ''), ',', '.') AS "${name}"`
      : type === 'date'
        ? `strptime(replace(replace("${name}", '/', '.'), '-', '.'), '%d.%m.%Y') AS "${name}"`
        : `"${name}"`,
  );
  return `SELECT ${cells.join(', ')} FROM ${read}`;
}

/** `name type Header | unit $ | path 2023,Q1 | missing 2` */
function columnOf(line: string): TabularColumn {
  const [first = '', ...more] = line.split(' | ');
  const [name = '', type = 'text', ...header] = first.split(' ');
  const said = new Map(more.map((part) => [part.split(' ', 1)[0]!, part.slice(part.indexOf(' ') + 1)]));
  const [unit, path, missing] = ['unit', 'path', 'missing'].map((key) => said.get(key));
  return {
    name,
    originalName: header.join(' '),
    type: type as TabularType,
    nullable: true,
    ...(unit === undefined ? {} : { unit }),
    ...(path === undefined ? {} : { headerPath: path.split(',') }),
    ...(missing === undefined ? {} : { missingFormulas: Number(missing) }),
  };
}

const TYPES = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
};

const QUOTING = { available: false, descriptor: { value: 'quoting' } } as unknown as LanguageModel;

/** Says in any language that no row matches. */
const NOTHING =
  /^(No rows|Rows match, but|لا توجد|Keine Zeilen|Es gibt passende|Aucune ligne|Des lignes|Ninguna fila|Hay filas|Nessuna riga|Ci sono righe|Nenhuma linha|Há linhas|Er zijn)/;

/** The table of a corpus in a database of its own, and who answers questions to it without a model. */
export class AskedCorpus {
  readonly corpus: TableCorpus;
  readonly questions: TableQuestions;
  readonly path: string;
  private readonly folder: string;
  private readonly connection: DuckDBConnection;
  private readonly instance: DuckDBInstance;

  private constructor(
    corpus: TableCorpus,
    folder: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    clock: Clock,
  ) {
    this.corpus = corpus;
    this.folder = folder;
    this.path = join(folder, 'tables.duckdb');
    this.instance = instance;
    this.connection = connection;
    const runner = this.runner() as unknown as QueryRunner;
    this.questions = new TableQuestions(runner, new TableProfiles(runner), clock);
  }

  /** @param today on which it is asked; ahead of what the tables of the corpora are of */
  static async open(corpus: TableCorpus, today = '2031-05-17'): Promise<AskedCorpus> {
    const folder = await mkdtemp(join(tmpdir(), 'table-corpus-'));
    const instance = await DuckDBInstance.create(join(folder, 'tables.duckdb'));
    const connection = await instance.connect();
    const typed = corpus.table.columns.map(({ name, type }) => `CAST("${name}" AS ${TYPES[type]}) AS "${name}"`);
    await connection.run(`CREATE TABLE "${corpus.table.name}" AS SELECT ${typed.join(', ')} FROM (${corpus.rows})`);
    const counted = await connection.runAndReadAll(`SELECT count(*) FROM "${corpus.table.name}"`);
    corpus.table.rowCount = Number(counted.getRows()[0]![0]);
    return new AskedCorpus(
      corpus,
      folder,
      instance,
      connection,
      Object.assign(new SystemClock(), { now: () => Date.parse(today) }),
    );
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
    await rm(this.folder, { recursive: true });
  }

  get database(): OpenTabularDatabase {
    const { filename, table } = this.corpus;
    return {
      uid: 'u',
      filename,
      path: this.path,
      tables: [table],
      release: async () => {},
    } as unknown as OpenTabularDatabase;
  }

  /** The last of the turns, after the others. */
  async ask(
    turns: readonly string[],
  ): Promise<{ status: string; answer: string; rows: unknown[][]; sql: string | null }> {
    const history = turns.slice(0, -1).map((question) => ({ question, sql: null, answer: '' }));
    const asked = {
      asker: 'a',
      question: turns.at(-1)!,
      databases: [this.database],
      history,
      language: null,
      model: QUOTING,
    };
    try {
      const prepared = await this.questions.prepare(asked);
      const found = await this.questions.ask(prepared, { evidence: false, onThought: async () => {} });
      let answer = '';
      for await (const piece of found.answer) answer += piece;
      return { status: found.status, answer, rows: found.result?.rows ?? [], sql: found.sql };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== 'model_not_configured') throw error;
      return { status: 'refused', answer: message, rows: [], sql: null };
    }
  }

  /** Asks, and compares with the right answer. A figure that says "nothing matches" is no figure. */
  async judge({ turns, expected }: TableCorpus['questions'][number]): Promise<Outcome> {
    const { status, answer, rows, sql } = await this.ask(turns);
    const base = { corpus: this.corpus.name, question: turns.join(' >> '), answer, sql };
    if (status === 'refused') return { ...base, outcome: 'refused' };
    if (status === 'clarification') return { ...base, outcome: 'asked back' };
    if (expected === null) return { ...base, outcome: NOTHING.test(answer) ? 'right' : 'wrong' };
    const right = await this.query(expected.replace(/\bt\b/g, `"${this.corpus.table.name}"`));
    return { ...base, outcome: status === 'completed' && same(rows, right) ? 'right' : 'wrong' };
  }

  /** A file beside that other processes can open while this one has the first. */
  get copy(): string {
    return join(this.folder, 'copy.duckdb');
  }

  async checkpoint(): Promise<void> {
    await this.connection.run('CHECKPOINT');
    await copyFile(this.path, this.copy);
  }

  async query(sql: string): Promise<unknown[][]> {
    const reader = await this.connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(plain));
  }

  /** In this process, since hundreds of questions are asked: statements are ours. `bench -- answers tables` runs them in the real one, too. */
  private runner() {
    return {
      run: async ({ statements }: { statements: string[] }): Promise<QueryResult[]> => {
        const results: QueryResult[] = [];
        for (const sql of statements) {
          const reader = await this.connection.runAndReadAll(sql);
          const columns = reader.columnNames().map((name) => ({ name, type: 'text' as const }));
          const rows = reader.getRows().map((row) => row.map(plain)) as QueryResult['rows'];
          results.push({ columns, rows, truncated: false, durationMs: 0 });
        }
        return results;
      },
    };
  }
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return value !== null && typeof value === 'object' ? String(value) : value;
}

/** The same rows in any order, numbers up to rounding. */
export function same(rows: readonly unknown[][], right: readonly unknown[][]): boolean {
  return JSON.stringify(rows.map(keyOf).toSorted()) === JSON.stringify(right.map(keyOf).toSorted());
}

function keyOf(row: readonly unknown[]): string {
  return JSON.stringify(row.map(comparable));
}

function comparable(cell: unknown): unknown {
  if (typeof cell === 'number') return Number(cell.toPrecision(10));
  return typeof cell === 'string' ? cell.replace('T', ' ') : cell;
}
