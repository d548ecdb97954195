import { explainFailedStart } from '@app/common';
import { loadDatabaseConfig } from '@app/config';
import { createDataSource } from '../data-source.js';
import { runMigrations } from '../migrate.js';
import { reachable } from '../reachable.js';

try {
  const database = loadDatabaseConfig();
  const dataSource = createDataSource({ ...database, url: database.directUrl ?? database.url }, 'atrium-migrate');
  await reachable(dataSource.initialize());
  const applied = await runMigrations(dataSource, database.statementTimeoutMs);
  await dataSource.destroy();
  console.log(
    applied.length === 0
      ? 'The database is up to date.'
      : `Applied ${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'}: ${applied.join(', ')}`,
  );
} catch (error) {
  console.error(explainFailedStart(error));
  process.exit(1);
}
