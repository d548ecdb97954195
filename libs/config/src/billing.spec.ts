import { hash } from 'node:crypto';
import { type ConfigurationError, loadConfig } from './load.js';

const stripe = {
  DATABASE_URL: 'postgres://localhost/atrium',
  REDIS_URL: 'redis://localhost',
  SECRETS_KEY: hash('sha256', 'a key of tests', 'base64'),
  BILLING: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
};

function mistakesOf(settings: Record<string, string>): string {
  try {
    loadConfig({ ...stripe, ...settings });
  } catch (error) {
    return (error as ConfigurationError).mistakes.join('\n');
  }
  return '';
}

describe('settings of Stripe', () => {
  it.each([
    [{}],
    [{ STRIPE_SECRET_KEY: 'rk_live_x', NODE_ENV: 'production' }],
    [{ STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_API_URL: 'http://127.0.0.1:1' }],
    [{ STRIPE_SECRET_KEY: 'sk_test_x', NODE_ENV: 'production', BILLING_TEST_IN_PRODUCTION: 'true' }],
    [{ STRIPE_API_URL: 'https://stripe.internal.example' }],
  ])('are taken: %j', (settings) => {
    expect(mistakesOf(settings)).toBe('');
  });

  it.each([
    [{ STRIPE_SECRET_KEY: '' }, 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET'],
    [{ STRIPE_WEBHOOK_SECRET: '' }, 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET'],
    [{ STRIPE_SECRET_KEY: 'pk_live_x' }, 'STRIPE_SECRET_KEY must be'],
    [{ STRIPE_SECRET_KEY: 'sk_live_' }, 'STRIPE_SECRET_KEY must be'],
    [{ STRIPE_SECRET_KEY: 'sk_live_x y' }, 'STRIPE_SECRET_KEY must be'],
    [{ STRIPE_WEBHOOK_SECRET: 'sk_live_x' }, 'STRIPE_WEBHOOK_SECRET must be'],
    [{ STRIPE_SECRET_KEY: 'sk_test_x', NODE_ENV: 'production' }, 'test mode'],
    [{ STRIPE_API_URL: 'http://stripe.internal.example' }, 'STRIPE_API_URL must begin with https'],
    [{ STRIPE_API_URL: 'https://stripe.internal.example/v1' }, 'STRIPE_API_URL must be'],
    [{ STRIPE_API_URL: 'https://a:b@stripe.internal.example' }, 'STRIPE_API_URL must be'],
  ])('are refused, without a word of the key: %j', (settings, mistake) => {
    expect(mistakesOf(settings)).toContain(mistake);
    expect(mistakesOf({ ...settings, STRIPE_WEBHOOK_SECRET: 'whsec_quite secret' })).not.toContain('quite secret');
  });
});
