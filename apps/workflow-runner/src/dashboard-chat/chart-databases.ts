import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type LocalFile, ScratchFiles } from '@app/integrations';
import type { LoadedColumn, QueriedFile } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import { type ChartCaller, ChartDesk, type OpenChart } from './chart-desk.js';
import { loadedChart } from './loaded-chart.js';

/** Rows of charts for statements: written down for one question, one chart after the other. */
@Injectable()
export class ChartDatabases {
  private readonly files = new ScratchFiles(join(tmpdir(), 'atrium-chart-rows'));

  constructor(private readonly desk: ChartDesk) {}

  /**
   * They are called c1, c2 and so on while `work` is at it.
   * @param tell what `work` gets of each. @throws as `ChartDesk.with`
   */
  async with<C, T>(
    { caller, mgids, signal }: { caller: ChartCaller; mgids: readonly string[]; signal: AbortSignal },
    tell: (chart: OpenChart) => C,
    work: (files: QueriedFile[], charts: C[]) => Promise<T>,
  ): Promise<T> {
    const written: LocalFile[] = [];
    try {
      const queried: QueriedFile[] = [];
      const told: C[] = [];
      for (const [at, mgid] of mgids.entries())
        await this.desk.with(caller, mgid, signal, async (chart) => {
          const { columns, rows } = loadedChart(chart);
          const file = await this.files.write(Readable.from(linesOf(columns, rows)));
          written.push(file);
          const name = `c${at + 1}`;
          queried.push({ path: file.path, tables: [{ name, alias: name }], columns });
          told.push(tell(chart));
        });
      return await work(queried, told);
    } finally {
      for (const file of written) await file.release();
    }
  }
}

function* linesOf(columns: readonly LoadedColumn[], rows: readonly (readonly unknown[])[]): Generator<string> {
  for (const row of rows)
    yield `${JSON.stringify(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))}\n`;
}
