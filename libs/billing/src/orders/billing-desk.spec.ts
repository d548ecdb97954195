import { PlanCatalog } from '@app/entitlements';
import { NoPaymentProcessor, PaymentDeclinedError, PaymentProcessorError } from '@app/integrations';
import type { DataSource } from 'typeorm';
import { BillingDesk } from './billing-desk.js';

const desk = (returnUrl: string | null = null) =>
  new BillingDesk(null as unknown as DataSource, new PlanCatalog(null), new NoPaymentProcessor(), { returnUrl });
const NOT_CONFIGURED = {
  name: 'UnavailableError',
  code: 'billing_not_configured',
  message: 'Payments are not set up on this deployment yet.',
};
const refused = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('the desk of billing', () => {
  it('says what this deployment cannot do', () => {
    expect(refused(() => desk().offering())).toMatchObject({ name: 'NotFoundError', code: 'billing_not_available' });
    expect(refused(() => desk().processorKind())).toMatchObject(NOT_CONFIGURED);
    expect(refused(() => desk().returnUrl('success'))).toMatchObject(NOT_CONFIGURED);
  });

  it.each([
    ['https://app.example/plans', 'https://app.example/plans?billing=portal'],
    ['https://app.example/?tab=2&billing=old#top', 'https://app.example/?tab=2&billing=portal#top'],
  ])('has people come back to %s', (address, back) => {
    expect(desk(address).returnUrl('portal')).toBe(back);
  });

  it.each([
    [
      'it is away',
      new PaymentProcessorError('Connection lost.', true),
      'The payment processor cannot be reached at the moment. Nothing was charged; please try again later.',
    ],
    [
      'no',
      new PaymentProcessorError('No such plan.', false),
      'The payment processor refused the request. Nothing was changed.',
    ],
  ])('says what became of it when the processor says %s', async (_, cause, message) => {
    await expect(desk().asking(() => Promise.reject(cause))).rejects.toMatchObject({
      name: 'BadGatewayError',
      code: 'payment_processor_error',
      message,
      cause,
    });
  });

  it('has people mend a payment that is declined', async () => {
    const cause = new PaymentDeclinedError('No funds.');
    await expect(desk().asking(() => Promise.reject(cause))).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'payment_declined',
      cause,
    });
  });

  it('passes on what is done, and faults of ours', async () => {
    expect(await desk().asking(async () => 7)).toBe(7);
    const fault = new TypeError('A fault.');
    await expect(desk().asking(() => Promise.reject(fault))).rejects.toBe(fault);
  });
});
