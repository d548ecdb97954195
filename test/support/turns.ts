import {
  TRACE_SETTINGS,
  TURN_HANDLERS,
  Turns,
  TurnsModule,
  TurnTracing,
  type StoredTurnEvent,
  type TurnHandler,
} from '@app/agents';
import type { AppConfig } from '@app/config';
import { DatabaseModule } from '@app/entities';
import { LiveModule } from '@app/live';
import { ModelsModule } from '@app/models';
import { QueuesModule } from '@app/queues';
import { WorkModule } from '@app/work';
import { SecretsModule } from '@app/secrets';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TURN_SETTINGS, toTurnSettings } from '../../apps/workflow-runner/src/turns/turn-settings.js';
import { TurnSweeps } from '../../apps/workflow-runner/src/turns/turn-sweeps.js';
import { TurnWorker } from '../../apps/workflow-runner/src/turns/turn-worker.js';
import { safetyNet } from './until.js';

/** A process that works on turns with handlers of the test's own; without handlers, one that only asks. */
export function startTurnProcess(config: AppConfig, handlers: TurnHandler[] = []): Promise<INestApplicationContext> {
  const works = handlers.length > 0;
  @Module({
    imports: [
      DatabaseModule.forRoot(config, 'test'),
      WorkModule.forRoot(config, 'test'),
      QueuesModule.forRoot(config, { consumes: works ? { turns: 20 } : {} }),
      LiveModule.forRoot(config),
      SecretsModule.forRoot(config),
      ModelsModule.forRoot(config),
      TurnsModule,
    ],
    providers: works
      ? [
          { provide: TURN_HANDLERS, useValue: handlers },
          { provide: TURN_SETTINGS, useValue: toTurnSettings(config) },
          { provide: TRACE_SETTINGS, useValue: { days: config.turns.traceDays } },
          TurnTracing,
          TurnWorker,
          TurnSweeps,
        ]
      : [],
  })
  class App {}
  return NestFactory.createApplicationContext(App, { logger: ['error'] });
}

/** Everything that is told of a turn after `after`, to its end. */
export async function followToEnd(turns: Turns, turnId: string, after = 0): Promise<StoredTurnEvent[]> {
  const events: StoredTurnEvent[] = [];
  for await (const event of turns.follow(turnId, { after, signal: safetyNet() }))
    if (event && event.type !== 'queued') events.push(event);
  return events;
}

export function textOf(events: readonly StoredTurnEvent[]): string {
  return events.map((event) => (event.type === 'delta' ? event.data.text : '')).join('');
}
