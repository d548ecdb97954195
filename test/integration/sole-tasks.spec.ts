import { PeriodicTasks, SoleTasks } from '@app/queues';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

/** A process of the deployment: its own timers and its own name. */
function startReplica(database: TestDatabase, done: string[], name: string) {
  const tasks = new PeriodicTasks();
  const sole = new SoleTasks(tasks, database.dataSource);
  sole.every('sweep', 0.05, async () => void done.push(name));
  return {
    /** As a kill would: the lease stays. */
    kill: () => tasks.beforeApplicationShutdown(),
    stop: async () => {
      await tasks.beforeApplicationShutdown();
      await sole.beforeApplicationShutdown();
    },
  };
}

describe('tasks of one process among many', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('are done by one replica, and by another when it is gone', async () => {
    const done: string[] = [];
    const replicas = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, startReplica(database, done, name)]));
    await until(() => done.length >= 10);
    const [first] = done;
    expect(new Set(done)).toEqual(new Set([first]));

    await replicas[first!]!.kill();
    done.length = 0;
    await until(() => done.length >= 10);
    const [second] = done;
    expect(second).not.toBe(first);
    expect(new Set(done)).toEqual(new Set([second]));

    // Who stops in an orderly way leaves its lease to nobody's loss.
    await replicas[second!]!.stop();
    const rows = await database.dataSource.query<unknown[]>('SELECT FROM task_leases');
    expect(rows).toHaveLength(0);
    for (const [name, replica] of Object.entries(replicas)) if (name !== first && name !== second) await replica.stop();
  });

  it('cost the others one look at each lease that runs out', async () => {
    const done: string[] = [];
    const counted = { ...database };
    let statements = 0;
    counted.dataSource = new Proxy(database.dataSource, {
      get(target, property, receiver) {
        if (property === 'query') statements += 1;
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const holder = startReplica(database, done, 'holder');
    await until(() => done.length >= 1);
    const waiting = startReplica(counted, done, 'waiting');
    await until(() => done.length >= 20);
    expect(statements).toBeLessThan(done.length / 2);
    await waiting.stop();
    await holder.stop();
  });
});
