import { ForbiddenError, PaymentRequiredError } from '@app/common';
import type { Feature } from '../plans/features.js';

const NAMES: Record<Feature, string> = {
  flowapps: 'workflows',
  dashboards: 'pages, boards and charts',
  chat_ai: 'chats',
  aes256: 'encryption at rest',
  byo_llm: 'models of your own',
  rbac: 'roles in the organization',
  global_secrets: 'secrets of the organization',
  sso_scim: 'single sign-on and directories',
  audit_logs: 'the audit log',
  on_prem: 'installation on own infrastructure',
  data_integration: 'connected sources of data',
  dedicated_agent: 'a dedicated agent',
};

const KEPT = 'What is there can still be read, exported and deleted; another plan opens the rest.';
/** What is sold of the audit log is reading it. */
const WRITTEN = 'It is written all the same; another plan opens it.';

/** docs/contract/conventions.md#plans: 403 `{detail, code: feature_not_in_plan, feature}`. */
export class FeatureNotInPlanError extends ForbiddenError {
  constructor(readonly feature: Feature) {
    super(`The plan does not include ${NAMES[feature]}. ${feature === 'audit_logs' ? WRITTEN : KEPT}`, {
      code: 'feature_not_in_plan',
      extra: { feature },
    });
  }
}

/** docs/contract/conventions.md#plans: 402 `{detail, code: subscription_expired}`. */
export class SubscriptionExpiredError extends PaymentRequiredError {
  constructor() {
    super(
      'The subscription has expired. What is there can still be read, exported and deleted; a payment opens the rest.',
      { code: 'subscription_expired' },
    );
  }
}
