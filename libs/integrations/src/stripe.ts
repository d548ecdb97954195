/** Apart from the rest: its library takes some megabytes of each process, for deployments that are paid through it. */
export { STRIPE_API_VERSION, type StripeSettings } from './payments/stripe/stripe-client.js';
export { createStripeProcessor, StripePaymentProcessor } from './payments/stripe/stripe-payment-processor.js';
