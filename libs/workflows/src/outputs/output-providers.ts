import { FileStorage } from '@app/integrations';
import { DataSource } from 'typeorm';
import { RevisionCache } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { OutputFiles } from './output-files.js';
import { RunExports } from './run-exports.js';

export const outputProviders = [
  {
    provide: OutputFiles,
    inject: [DataSource, FileStorage],
    useFactory: (database: DataSource, storage: FileStorage) => new OutputFiles(database, storage),
  },
  {
    provide: RunExports,
    inject: [DataSource, FileStorage, WorkflowAccess, RevisionCache],
    useFactory: (...parts: ConstructorParameters<typeof RunExports>) => new RunExports(...parts),
  },
];
