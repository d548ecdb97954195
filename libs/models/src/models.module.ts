import type { AppConfig } from '@app/config';
import { ChosenModels, EgressGuard, ImageGeneration } from '@app/integrations';
import { SoleTasks } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CallBudgets } from './budget/call-budgets.js';
import { createImageGeneration, createLanguageModels } from './create-models.js';
import { LanguageModels } from './language-models.js';
import { ModelProbes } from './probes/model-probes.js';
import { ModelChoice } from './model-choice.js';
import { QueryModels } from './query-models.js';
import { TurnUsage } from './metering/turn-usage.js';
import { UsageLedger } from './metering/usage-ledger.js';
import { UsageRetention } from './metering/usage-retention.js';
import { UsageTotals } from './metering/usage-totals.js';
import { MODEL_RULES, type ModelRules } from './registered/model-rules.js';
import { OwnModels } from './registered/own-models.js';
import { SharedRegistry } from './registered/shared-registry.js';

/**
 * The language models of the deployment, whose they are, and what they are used for. Global; needs the app's
 * `DatabaseModule`, `QueuesModule`, `LiveModule` and `SecretsModule`.
 */
@Module({})
export class ModelsModule {
  static forRoot({ models, costs, queries, languageModel }: AppConfig): DynamicModule {
    const rules: ModelRules = {
      // Calls to one host are many people's; each has a gate of their own.
      guard: new EgressGuard({ allowedHosts: languageModel.hosts, socketsPerHost: 1000 }),
      patience: languageModel,
      currency: models.currency,
      configuredIds: new Set(models.list.map(({ id }) => id)),
    };
    return {
      module: ModelsModule,
      global: true,
      providers: [
        {
          provide: UsageLedger,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) =>
            new UsageLedger(costs.tracking ? dataSource : null, models.currency, costs.usdRate ?? null),
        },
        CallBudgets,
        {
          provide: LanguageModels,
          inject: [UsageLedger, CallBudgets],
          useFactory: (ledger: UsageLedger, budgets: CallBudgets) => createLanguageModels(models, ledger, budgets),
        },
        {
          provide: ImageGeneration,
          inject: [UsageLedger, CallBudgets],
          useFactory: (ledger: UsageLedger, budgets: CallBudgets) => createImageGeneration(models, ledger, budgets),
        },
        { provide: MODEL_RULES, useValue: rules },
        SharedRegistry,
        OwnModels,
        ModelChoice,
        {
          provide: TurnUsage,
          inject: [DataSource],
          useFactory: (dataSource: DataSource) => new TurnUsage(dataSource, costs.tracking, models.currency),
        },
        { provide: ChosenModels, useExisting: ModelChoice },
        { provide: ModelProbes, useFactory: () => new ModelProbes(models.list) },
        {
          provide: QueryModels,
          inject: [LanguageModels],
          useFactory: (all: LanguageModels) => new QueryModels(queries, all),
        },
        {
          provide: UsageTotals,
          inject: [DataSource, UsageLedger],
          useFactory: (dataSource: DataSource, ledger: UsageLedger) =>
            new UsageTotals(dataSource, ledger, costs.tracking, models.currency),
        },
        {
          provide: UsageRetention,
          inject: [DataSource, SoleTasks],
          useFactory: (dataSource: DataSource, tasks: SoleTasks) => new UsageRetention(dataSource, tasks, costs.days),
        },
      ],
      exports: [
        CallBudgets,
        LanguageModels,
        ImageGeneration,
        ChosenModels,
        MODEL_RULES,
        ModelChoice,
        ModelProbes,
        OwnModels,
        SharedRegistry,
        QueryModels,
        TurnUsage,
        UsageLedger,
        UsageTotals,
      ],
    };
  }
}
