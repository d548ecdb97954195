import { Global, Module } from '@nestjs/common';
import { TurnBell } from './turn-bell.js';
import { TurnClaims } from './turn-claims.js';
import { TurnFeed } from './turn-feed.js';
import { TurnLogWriter } from './turn-log-writer.js';
import { TurnSweeper } from './turn-sweeper.js';
import { Turns } from './turns.js';

const providers = [Turns, TurnFeed, TurnBell, TurnClaims, TurnLogWriter, TurnSweeper];

/** Turns of conversations (document 3, B7): asked for by the api, worked on by the workflow-runner. */
@Global()
@Module({ providers, exports: providers })
export class TurnsModule {}
