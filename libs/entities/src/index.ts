export { createDataSource, dataSourceOptions } from './data-source.js';
export { DatabaseModule } from './database.module.js';
export { runMigrations, schemaDrift } from './migrate.js';
export { OutboxMessage } from './outbox/outbox-message.entity.js';
