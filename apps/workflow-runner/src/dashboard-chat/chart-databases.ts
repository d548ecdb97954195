import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type LocalFile, ScratchFiles } from '@app/integrations';
import type { QueriedFile } from '@app/tabular';
import { Injectable } from '@nestjs/common';
import type { OpenChart } from './chart-desk.js';
import { loadedChart } from './loaded-chart.js';

/** Rows of charts for statements: written down for one question. */
@Injectable()
export class ChartDatabases {
  private readonly files = new ScratchFiles(join(tmpdir(), 'atrium-chart-rows'));

  /** They are called c1, c2 and so on while `work` is at it. */
  async with<T>(charts: readonly OpenChart[], work: (files: QueriedFile[]) => Promise<T>): Promise<T> {
    const written: LocalFile[] = [];
    try {
      const queried: QueriedFile[] = [];
      for (const [at, chart] of charts.entries()) {
        const { columns, rows } = loadedChart(chart);
        const lines = rows.map(
          (row) => `${JSON.stringify(Object.fromEntries(columns.map(({ name }, of) => [name, row[of]])))}\n`,
        );
        const file = await this.files.write(Readable.from(lines));
        written.push(file);
        const name = `c${at + 1}`;
        queried.push({ path: file.path, tables: [{ name, alias: name }], columns });
      }
      return await work(queried);
    } finally {
      for (const file of written) await file.release();
    }
  }
}
