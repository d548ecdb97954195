import { GivenUpTurns, ResultRows, SealedTurns, TurnLogCompaction, TurnSweeper } from '@app/agents';
import { SoleTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { TURN_SETTINGS, type TurnSettings } from './turn-settings.js';

const COMPACT_SECONDS = 60;
const FORGET_SECONDS = 300;

/** Clears away what is kept of turns for a while. One of all replicas does; two at once do not get into each other's way. */
@Injectable()
export class TurnSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly sweeper: TurnSweeper,
    private readonly compaction: TurnLogCompaction,
    private readonly sealed: SealedTurns,
    private readonly givenUp: GivenUpTurns,
    private readonly results: ResultRows,
    @Inject(TURN_SETTINGS) private readonly settings: TurnSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('text of encrypted turns', this.settings.sweepSeconds, async () => {
      while ((await this.sealed.eraseEnded(this.settings.sealedSeconds)) > 0);
    });
    this.tasks.every('logs of ended turns', COMPACT_SECONDS, async () => {
      await this.compaction.compactEnded(this.settings.eventHours);
      await this.givenUp.keepWork(this.settings.eventHours);
    });
    this.tasks.every('long results of old turns', FORGET_SECONDS, async () => {
      while ((await this.results.deleteExpired()) > 0);
    });
    this.tasks.every('logs of old turns', FORGET_SECONDS, async () => {
      while ((await this.sweeper.forgetLogs(this.settings.eventHours)) > 0);
    });
  }
}
