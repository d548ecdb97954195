import { findPlanBuyer, type PlanBuyer } from '@app/auth';
import { BadGatewayError, ConflictError, NotFoundError, UnavailableError } from '@app/common';
import { type Offering, PlanCatalog } from '@app/entitlements';
import { PaymentDeclinedError, PaymentProcessor, PaymentProcessorError } from '@app/integrations';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface BillingAddresses {
  /** Page of the SPA that people come back to; null where the settings name none. */
  readonly returnUrl: string | null;
}
export const BILLING_ADDRESSES = Symbol('BILLING_ADDRESSES');

/** What each action of billing begins with: whether anything is sold here, who asks, and who takes the payments. */
@Injectable()
export class BillingDesk {
  private readonly logger = new Logger(BillingDesk.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly catalog: PlanCatalog,
    private readonly processor: PaymentProcessor,
    @Inject(BILLING_ADDRESSES) private readonly addresses: BillingAddresses,
  ) {}

  /** @throws NotFoundError (`billing_not_available`) where nothing is sold */
  offering(): Offering {
    const { offering } = this.catalog;
    if (offering === null)
      throw new NotFoundError('This deployment sells no plans.', { code: 'billing_not_available' });
    return offering;
  }

  /** @throws NotFoundError */
  async buyer(userId: number): Promise<PlanBuyer> {
    const buyer = await findPlanBuyer(this.dataSource, userId);
    if (buyer === null) throw new NotFoundError();
    return buyer;
  }

  /** @throws UnavailableError (`billing_not_configured`) */
  processorKind(): 'test' | 'stripe' {
    const { kind } = this.processor;
    if (kind === 'none') throw notConfigured();
    return kind;
  }

  /** Where people land after the pay page; what came of it is in the query. @throws UnavailableError */
  returnUrl(outcome: 'success' | 'cancelled' | 'portal'): string {
    const { returnUrl } = this.addresses;
    if (returnUrl === null) throw notConfigured();
    const url = new URL(returnUrl);
    url.searchParams.set('billing', outcome);
    return url.toString();
  }

  /**
   * @throws BadGatewayError (`payment_processor_error`) when the processor refused it, or was not reached;
   *   ConflictError (`payment_declined`) when it is for the person to mend
   */
  async asking<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PaymentProcessorError)) throw error;
      this.logger.warn(`The payment processor did not do it: ${error.message}`);
      if (error instanceof PaymentDeclinedError)
        throw new ConflictError(
          'The payment was declined, and nothing was changed. Choose another card where your payments are shown, then try again.',
          { code: 'payment_declined', cause: error },
        );
      throw new BadGatewayError(
        error.isTransient
          ? 'The payment processor cannot be reached at the moment. Nothing was charged; please try again later.'
          : 'The payment processor refused the request. Nothing was changed.',
        { code: 'payment_processor_error', cause: error },
      );
    }
  }
}

function notConfigured(): UnavailableError {
  return new UnavailableError('Payments are not set up on this deployment yet.', { code: 'billing_not_configured' });
}
