import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TabularDatabases } from './databases/tabular-databases.js';
import { StoredFiles } from './records/stored-files.port.js';
import { TabularFolders } from './files/tabular-folders.js';
import { TabularFiles } from './files/tabular-files.js';
import { ImportRequests } from './importing/import-requests.js';
import { Imports } from './importing/imports.js';

/** The database and spreadsheet stores. Needs the database, the queues and the file storage of the app that imports it. */
@Module({})
export class TabularModule {
  /** @param storedFiles a provider of a global module of the app */
  static forRoot(storedFiles: Type<StoredFiles>): DynamicModule {
    return {
      module: TabularModule,
      global: true,
      providers: [
        { provide: StoredFiles, useExisting: storedFiles },
        ImportRequests,
        Imports,
        TabularFiles,
        TabularFolders,
        TabularDatabases,
      ],
      exports: [StoredFiles, ImportRequests, Imports, TabularFiles, TabularFolders, TabularDatabases],
    };
  }
}
