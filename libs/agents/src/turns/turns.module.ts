import { Charts } from '@app/artifacts';
import { KeyRing } from '@app/secrets';
import { Global, Module } from '@nestjs/common';
import { ResultRows } from '../kept-results/index.js';
import { useDelimiterKey } from '../prompts/delimiters.js';
import { SealedText } from '../sealed/sealed-text.js';
import { SealedTurns } from '../sealed/sealed-turns.js';
import { TableTurnRecords } from '../stores/table-turn-records.js';
import { TurnHistory } from '../stores/turn-history.js';
import { TraceRows } from '../trace/trace-rows.js';
import { TurnWorkLog } from '../work-log/turn-work-log.js';
import { GivenUpTurns } from './given-up-turns.js';
import { TurnClaims } from './turn-claims.js';
import { TurnFeed } from './turn-feed.js';
import { TurnLogCompaction } from './turn-log-compaction.js';
import { TurnLogWriter } from './turn-log-writer.js';
import { TurnSweeper } from './turn-sweeper.js';
import { Turns } from './turns.js';

const turns = [
  TraceRows,
  Turns,
  TurnWorkLog,
  GivenUpTurns,
  TurnFeed,
  TurnClaims,
  TurnLogWriter,
  TurnLogCompaction,
  TurnSweeper,
];
const providers = [...turns, Charts, TurnHistory, TableTurnRecords, ResultRows, SealedText, SealedTurns];

/** Turns of conversations (docs/contract/chats.md#turns): asked for by the api, worked on by the workflow-runner. */
@Global()
@Module({ providers, exports: providers })
export class TurnsModule {
  constructor(ring: KeyRing) {
    useDelimiterKey(ring.derive('marks of untrusted text'));
  }
}
