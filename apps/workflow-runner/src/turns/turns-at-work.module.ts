import { TURN_HANDLERS, TurnsModule, type TurnHandler } from '@app/agents';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { TURN_SETTINGS, toTurnSettings } from './turn-settings.js';
import { TurnSweeps } from './turn-sweeps.js';
import { TurnWorker } from './turn-worker.js';

/** Every handler of this process, with the modules that it needs. One line each. */
const HANDLERS: Type<TurnHandler>[] = [];

/** Works on the turns of conversations. */
@Module({})
export class TurnsAtWorkModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: TurnsAtWorkModule,
      imports: [TurnsModule],
      providers: [
        ...HANDLERS,
        {
          provide: TURN_HANDLERS,
          inject: HANDLERS,
          useFactory: (...handlers: TurnHandler[]): readonly TurnHandler[] => handlers,
        },
        { provide: TURN_SETTINGS, useValue: toTurnSettings(config) },
        TurnWorker,
        TurnSweeps,
      ],
    };
  }
}
