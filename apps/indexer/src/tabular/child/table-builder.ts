import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { ImportRequest } from '../import-messages.js';
import { buildTable, type BuiltTable } from './build-table.js';
import { textOf, shownTextOf } from './column-types.js';
import type { SampleRow } from './header-row.js';
import { type Merge } from '../../spreadsheets/merge-range.js';
import { fillMerges } from './merges.js';
import { defineMonthNumber } from './named-dates.js';
import { quoteText } from './names.js';
import { mendRagged, type RaggedRows } from './ragged-rows.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';

const SAMPLE_ROWS = 100;
/** Aggregates in one query. */
const COLUMNS_PER_QUERY = 100;
const MAX_SPILL = '4GB';
const MIN_LINE_BYTES = 2_097_152;

/** What has to be known before a CSV is loaded. */
export interface RecordShape {
  longestRecordBytes: number;
  /** Whether records have different numbers of cells. */
  ragged: boolean;
}

/**
 * Builds the database of one file: texts are staged in one database file and written to another with types. DuckDB sees
 * no file but the upload and the work folder, and can no longer be told otherwise.
 */
export class TableBuilder {
  private constructor(
    private readonly instance: DuckDBInstance,
    private readonly connection: DuckDBConnection,
    readonly reserved: ReadonlySet<string>,
  ) {}

  static async create(request: ImportRequest): Promise<TableBuilder> {
    const { workFolder, path, databasePath, duckdbBytes } = request;
    const instance = await DuckDBInstance.create(join(workFolder, 'staging.duckdb'), {
      memory_limit: `${Math.floor(duckdbBytes / 1024 / 1024)}MB`,
      threads: '2',
      temp_directory: join(workFolder, 'spill'),
      max_temp_directory_size: MAX_SPILL,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
    });
    const connection = await instance.connect();
    const words = await connection.runAndReadAll(
      `SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')`,
    );
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run(defineMonthNumber());
    await connection.run(`SET allowed_directories = [${quoteText(workFolder)}]`);
    await connection.run(`SET allowed_paths = [${quoteText(path)}]`);
    await connection.run(`ATTACH ${quoteText(databasePath)} AS built`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    return new TableBuilder(instance, connection, new Set(words.getRows().map(([word]) => String(word))));
  }

  /** Writes all that is built to its file. */
  async close(): Promise<void> {
    await this.connection.run('DETACH built');
    this.connection.closeSync();
    this.instance.closeSync();
  }

  /** Loads a CSV in UTF-8, every cell as text, rows with fewer cells filled up. */
  async stage(path: string, { columns, delimiter }: StagedTable, shape: RecordShape): Promise<void> {
    const options = {
      auto_detect: 'false',
      header: 'false',
      strict_mode: 'false',
      quote: `'"'`,
      escape: `'"'`,
      delim: quoteText(delimiter),
      max_line_size: String(Math.max(MIN_LINE_BYTES, shape.longestRecordBytes * 2 + 1024)),
      columns: `{${range(0, columns)
        .map((index) => `c${index}: 'VARCHAR'`)
        .join(', ')}}`,
      // Rows are not filled up by several threads at once where cells may hold line ends.
      ...(shape.ragged ? { null_padding: 'true', parallel: 'false' } : {}),
    };
    const written = Object.entries(options).map(([name, value]) => `${name} = ${value}`);
    await this.connection.run(
      `CREATE OR REPLACE TABLE staged AS SELECT * FROM read_csv(${[quoteText(path), ...written].join(', ')})`,
    );
  }

  /** The first rows, texts as they are. */
  async sample({ columns, padded, marked }: StagedTable): Promise<SampleRow[]> {
    const cells = range(0, columns).map((index) => (marked ? shownTextOf(`c${index}`, padded, marked) : `c${index}`));
    const result = await this.connection.runAndReadAll(
      `SELECT ${cells.join(', ')} FROM staged WHERE rowid < ${SAMPLE_ROWS} ORDER BY rowid`,
    );
    return result.getRows() as SampleRow[];
  }

  /** Which of the staged columns hold anything from row `firstRow` (from 0) on. */
  async filledColumns({ columns, padded }: StagedTable, firstRow: number): Promise<boolean[]> {
    const filled: boolean[] = [];
    for (let start = 0; start < columns; start += COLUMNS_PER_QUERY) {
      const indexes = range(start, Math.min(columns, start + COLUMNS_PER_QUERY));
      const [row] = await this.rows(
        `SELECT ${indexes.map((index) => `count(${textOf(`c${index}`, padded)}) > 0`).join(', ')} FROM staged WHERE rowid >= ${firstRow}`,
      );
      filled.push(...row!.map(Boolean));
    }
    return filled;
  }

  /** @see mendRagged */
  async mendRagged(staged: StagedTable, columns: readonly PlannedColumn[], ragged: RaggedRows): Promise<number[]> {
    return mendRagged((sql) => this.rows(sql), staged, columns, ragged);
  }

  /** @see fillMerges */
  async fillMerges(
    staged: StagedTable,
    columns: readonly PlannedColumn[],
    merges: readonly Merge[],
    firstRow: number,
  ): Promise<void> {
    await fillMerges((sql) => this.rows(sql), staged, columns, merges, firstRow);
  }

  /** @see buildTable */
  async build(
    name: string,
    staged: StagedTable,
    columns: readonly PlannedColumn[],
    firstRow: number,
  ): Promise<BuiltTable> {
    return buildTable((sql) => this.rows(sql), name, staged, columns, firstRow);
  }

  private async rows(sql: string): Promise<unknown[][]> {
    return (await this.connection.runAndReadAll(sql)).getRows();
  }
}

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, index) => start + index);
