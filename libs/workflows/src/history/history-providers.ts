import type { AppConfig } from '@app/config';
import { EntitlementResolver } from '@app/entitlements';
import { ToolCatalogue } from '@app/workflow-definition';
import { DataSource } from 'typeorm';
import { NodeRows } from '../progress/node-rows.js';
import { RevisionCache } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunControl } from '../runs/run-control.js';
import { HistoryLimits } from './history-limits.js';
import { RunHistory } from './run-history.js';
import { RunRetention } from './run-retention.js';
import { RunRetry } from './run-retry.js';

export const historyProviders = ({ workflows }: AppConfig) => [
  {
    provide: HistoryLimits,
    inject: [EntitlementResolver, DataSource],
    useFactory: (entitlements: EntitlementResolver, database: DataSource) =>
      new HistoryLimits({ days: workflows.historyDays, runs: workflows.historyRuns }, entitlements, database),
  },
  {
    provide: RunHistory,
    inject: [DataSource, WorkflowAccess, RevisionCache, NodeRows, HistoryLimits],
    useFactory: (...parts: ConstructorParameters<typeof RunHistory>) => new RunHistory(...parts),
  },
  {
    provide: RunRetention,
    inject: [DataSource, HistoryLimits],
    useFactory: (database: DataSource, limits: HistoryLimits) => new RunRetention(database, limits),
  },
  {
    provide: RunRetry,
    inject: [DataSource, WorkflowAccess, RevisionCache, RunControl, ToolCatalogue],
    useFactory: (...parts: ConstructorParameters<typeof RunRetry>) => new RunRetry(...parts),
  },
];
