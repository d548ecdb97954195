export { ClaimLostError, GiveUpError, TryAgainError, type Claim } from './claim.js';
export {
  defineWork,
  type Assignments,
  type Param,
  type RetryRules,
  type WorkClasses,
  type WorkDefinition,
  type WorkRules,
} from './define-work.js';
export { isDue } from './claim-statements.js';
export { LeaseKeeper, WorkerStoppingError } from './lease-keeper.js';
export { leaseOf, type LeaseColumns } from './lease-of.js';
export { Performs } from './performs.js';
export { WorkClaims, type FinishOptions, type PostponeOptions } from './work-claims.js';
export { WorkModule } from './work.module.js';
export { WorkPerformer, type Work, type WorkEnd } from './work-performer.js';
export { WorkRunner } from './work-runner.js';
