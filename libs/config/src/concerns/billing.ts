import { choice, flag, optionalText, optionalWebAddress } from '../setting.js';

/** Whether plans are sold, and what they allow. */
export const billingConcerns = {
  billing: {
    kind: choice(
      'BILLING',
      'Whether plans are sold, and who takes the payments: nobody, as on infrastructure of a customer (`none`), a pay page of Atrium itself that moves no money, for trying (`test`), or Stripe (`stripe`)',
      ['none', 'test', 'stripe'],
      'none',
    ),
    plansFile: optionalText(
      'PLANS_FILE',
      'File of the plans that are sold (YAML); a built-in offering of starter, pro and enterprise when empty',
    ),
    testInProduction: flag(
      'BILLING_TEST_IN_PRODUCTION',
      'Whether `BILLING=test` is taken with NODE_ENV=production: everybody can then have each plan for nothing',
      false,
    ),
    returnUrl: optionalWebAddress(
      'BILLING_RETURN_URL',
      'Page of the SPA that people come back to after they paid, or did not; PUBLIC_URL when empty',
    ),
    stripeSecretKey: optionalText('STRIPE_SECRET_KEY', 'Secret key of the Stripe account, with `BILLING=stripe`', {
      secret: true,
    }),
    stripeWebhookSecret: optionalText(
      'STRIPE_WEBHOOK_SECRET',
      'Signing secret of the endpoint `/subscriptions/webhook/` at Stripe',
      { secret: true },
    ),
    stripeUrl: optionalWebAddress('STRIPE_API_URL', 'Another server that speaks the API of Stripe, for tests'),
  },
  enforcement: {
    features: flag('FEATURE_GATE', 'Whether what the plan does not have is refused (403 `feature_not_in_plan`)', false),
    storage: flag(
      'STORAGE_GATE',
      'Whether uploads beyond the storage of the plan, or beyond STORAGE_QUOTA_BYTES, are refused (413)',
      true,
    ),
    subscriptions: flag(
      'SUBSCRIPTION_ENFORCEMENT',
      'Whether an expired subscription closes everything but reading, exporting, deleting and paying (402)',
      false,
    ),
    planRequired: flag(
      'PLAN_REQUIRED',
      'Whether people without a plan are sent to the plans (`plan_required` of GET /users/me/)',
      false,
    ),
  },
} as const;
