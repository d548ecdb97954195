import { accountConcerns } from './accounts.js';
import { billingConcerns } from './billing.js';
import { dedicatedAgentConcerns } from './dedicated-agents.js';
import { documentConcerns } from './documents.js';
import { modelConcerns } from './models.js';
import { operationConcerns } from './operations.js';
import { servingConcerns } from './serving.js';
import { workConcerns } from './work.js';

/** Every setting of every app, by concern. A setting that no file here names does not exist. */
export const concerns = {
  ...servingConcerns,
  ...dedicatedAgentConcerns,
  ...billingConcerns,
  ...accountConcerns,
  ...documentConcerns,
  ...workConcerns,
  ...modelConcerns,
  ...operationConcerns,
};
