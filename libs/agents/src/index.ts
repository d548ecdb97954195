export { Continuation, continuationMessages, continueText } from './turns/continuation.js';
export type {
  StoredTurnEvent,
  TurnEndData,
  TurnEvent,
  TurnEventType,
  TurnExtras,
  TurnOutcome,
  TurnQuestion,
  TurnStatus,
} from './turns/turn-event.js';
export { TurnBell } from './turns/turn-bell.js';
export { toEndData, TurnClaims } from './turns/turn-claims.js';
export { TurnFeed } from './turns/turn-feed.js';
export {
  TURN_HANDLERS,
  TurnLostError,
  type ClaimedTurn,
  type EmittedEvent,
  type TurnContext,
  type TurnHandler,
  type TurnHandlerName,
} from './turns/turn-handler.js';
export type { TurnLog } from './turns/turn-log.js';
export { TurnLogWriter } from './turns/turn-log-writer.js';
export type { Claim, TurnEnd } from './turns/turn-rows.js';
export { TurnSweeper } from './turns/turn-sweeper.js';
export type { TurnView } from './turns/turn-view.js';
export { Turns, type BegunTurn, type NewTurn } from './turns/turns.js';
export { TurnsModule } from './turns/turns.module.js';
