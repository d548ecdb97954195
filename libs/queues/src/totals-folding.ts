import { dropOldMonths, foldTotals } from '@app/entities';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SoleTasks } from './sole-tasks.js';

/** So long do changes of totals stay beside them; whoever reads a total adds them up. */
const FOLD_SECONDS = 10;
const OLD_MONTHS_SECONDS = 21_600;

/** Keeps the changes of totals few, and drops months that are long over. One process of all replicas does it. */
@Injectable()
export class TotalsFolding implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly dataSource: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('changes of totals', FOLD_SECONDS, async () => void (await foldTotals(this.dataSource)));
    this.tasks.every(
      'totals of old months',
      OLD_MONTHS_SECONDS,
      async () => void (await dropOldMonths(this.dataSource)),
    );
  }
}
