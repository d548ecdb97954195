/** Who owns what is sold here: see docs/operations/billing.md. */
export const BILLING_PAGE_PREFIX = '/billing';
