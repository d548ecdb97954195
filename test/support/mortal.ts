import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';

interface Life {
  left: number;
}

/** A connection on which a piece of work dies before its n-th statement; only the database's own rollback follows. */
export class Mortal {
  private readonly lives = new AsyncLocalStorage<Life>();

  constructor(dataSource: DataSource) {
    const make = dataSource.createQueryRunner.bind(dataSource);
    dataSource.createQueryRunner = (mode) => {
      const runner = make(mode);
      const query = runner.query.bind(runner);
      runner.query = (text: string, ...rest: never[]) => {
        const life = this.lives.getStore();
        if (life && text !== 'ROLLBACK' && life.left-- <= 0) return Promise.reject(new Error('dead'));
        return query(text, ...rest);
      };
      return runner;
    };
  }

  /**
   * Only the statements of the work itself count, not those of tasks that happen to run beside it.
   * @returns whether it died
   */
  async dies(statements: number, work: () => Promise<unknown>): Promise<boolean> {
    const life = { left: statements };
    await this.lives.run(life, work).catch(() => undefined);
    return life.left < 0;
  }
}
