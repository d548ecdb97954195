export { estimatePromptTokens, estimateTokens } from './calls/token-estimate.js';
export { createLanguageModels } from './create-models.js';
export { LanguageModels, type ListedModel } from './language-models.js';
export { ModelChoice } from './model-choice.js';
export { ModelsModule } from './models.module.js';
export { OwnedModelUsage } from './metering/owned-model-usage.js';
export { UsageLedger } from './metering/usage-ledger.js';
export { UsageTotals, type UsageReport, type UsageSum } from './metering/usage-totals.js';
