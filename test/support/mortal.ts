import type { DataSource } from 'typeorm';

/** A connection whose process dies before the n-th statement from now on; only the database's own rollback follows. */
export class Mortal {
  private left = Number.POSITIVE_INFINITY;
  executed = 0;

  constructor(dataSource: DataSource) {
    const make = dataSource.createQueryRunner.bind(dataSource);
    dataSource.createQueryRunner = (mode) => {
      const runner = make(mode);
      const query = runner.query.bind(runner);
      runner.query = (text: string, ...rest: never[]) => {
        if (text !== 'ROLLBACK') {
          if (this.left <= 0) return Promise.reject(new Error('dead'));
          this.left -= 1;
          this.executed += 1;
        }
        return query(text, ...rest);
      };
      return runner;
    };
  }

  dieAfter(statements: number): void {
    this.left = statements;
    this.executed = 0;
  }

  live(): void {
    this.left = Number.POSITIVE_INFINITY;
  }
}
