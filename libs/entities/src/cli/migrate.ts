import { loadDatabaseConfig } from '@app/config';
import { createDataSource } from '../data-source.js';
import { runMigrations } from '../migrate.js';

const dataSource = createDataSource(loadDatabaseConfig(), 'atrium-migrate');
await dataSource.initialize();
const applied = await runMigrations(dataSource);
await dataSource.destroy();
console.log(
  applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.length} migrations: ${applied.join(', ')}`,
);
