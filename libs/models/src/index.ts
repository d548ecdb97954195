export { CallBudget, type CallNeed, type CallPrice, type HeldCall } from './budget/call-budget.js';
export { CallBudgets } from './budget/call-budgets.js';
export {
  estimateMessagesTokens,
  estimateMessageTokens,
  estimatePromptTokens,
  estimateTokens,
  estimateToolTokens,
} from './calls/token-estimate.js';
export { createImageGeneration, createLanguageModels } from './create-models.js';
export { LanguageModels, type ListedModel } from './language-models.js';
export type { ModelDraft } from './registered/model-draft.js';
export { type Discovery, type ModelTest, ModelTests } from './registered/model-tests.js';
export { OwnedModels } from './registered/owned-models.js';
export { type ModelActor, type ModelScope, RegisteredModels } from './registered/registered-models.js';
export { OwnModelRights } from './registered/own-model-rights.js';
export { RegisteredModelsModule } from './registered/registered-models.module.js';
export type { RegisteredRecord } from './registered/registered-row.js';
export { ModelChoice, type TurnChoice } from './model-choice.js';
export { ModelProbes, type ModelProbe } from './probes/model-probes.js';
export { PriceBook, type PricedCall, type PriceSource } from './prices/price-book.js';
export { ModelsModule } from './models.module.js';
export { QueryModels, type QuerySettings } from './query-models.js';
export type { CallObserver, ObservedAnswer, ObservedCall } from './metering/observed-call.js';
export { TurnUsage, type UsedCall } from './metering/turn-usage.js';
export { OwnedModelUsage } from './metering/owned-model-usage.js';
export { UsageLedger } from './metering/usage-ledger.js';
export { daysOfMonth, lastDays, type Period, PERIOD, USED_IN_WORKFLOWS } from './metering/usage-of-period.js';
export {
  type ModelUse,
  NO_USE,
  type PersonUse,
  type UsageReport,
  type UsageScope,
  type UsageSum,
  UsageTotals,
} from './metering/usage-totals.js';
export { answerWithin, type BuiltRequest } from './window/answer-within.js';
export { isTooLong } from './calls/too-long.js';
export { contextTokensOf, roomFor } from './window/context-budget.js';
export { ConversationModel } from './window/conversation-model.js';
export { CUT_NOTE, FILTERED_NOTE, isCutShort } from './window/early-ends.js';
export { latestHistory } from './window/fit-history.js';
export { cutToTokens, fitQuestion, leftOutNotice, type FittedQuestion } from './window/fit-question.js';
