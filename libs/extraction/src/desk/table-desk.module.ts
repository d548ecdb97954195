import { Clock, SystemClock } from '@app/common';
import { Module } from '@nestjs/common';
import { DeskChanges } from './desk-changes.js';
import { TableDesk } from './table-desk.js';

const SERVICES = [DeskChanges, TableDesk];

/** A table as agents work on it, for apps with a database and the audit log. */
@Module({ providers: [...SERVICES, { provide: Clock, useClass: SystemClock }], exports: SERVICES })
export class TableDeskModule {}
