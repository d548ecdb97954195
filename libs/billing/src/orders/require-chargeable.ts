import { formatMoney, StartupError } from '@app/common';
import type { PlanCatalog } from '@app/entitlements';
import type { PaymentProcessor } from '@app/integrations';

/**
 * What is sold has to be payable: told at the start, rather than to the first who wants to pay.
 * @throws StartupError naming each price, and each coupon, that the processor cannot charge to its last digit
 */
export function requireChargeable({ offering }: PlanCatalog, processor: Pick<PaymentProcessor, 'canCharge'>): void {
  if (offering === null) return;
  const { currency } = offering;
  const sold = offering.plans.filter(({ contactSales, retired }) => !contactSales && !retired);
  const amounts = [
    ...sold.flatMap(({ code, monthlyPrice, yearlyPrice }) => [
      { what: `plans.${code}: the monthly price`, amount: monthlyPrice },
      { what: `plans.${code}: the yearly price`, amount: yearlyPrice },
    ]),
    ...offering.coupons.map(({ code, amountOff }) => ({ what: `coupons.${code}: amount_off`, amount: amountOff ?? 0 })),
  ];
  const lost = amounts.filter(({ amount }) => !processor.canCharge(amount, currency));
  if (lost.length === 0) return;
  const lines = lost.map(({ what, amount }) => `- ${what}, ${formatMoney(amount, currency)} ${currency}`);
  throw new StartupError(`The payment processor cannot charge these amounts to the last digit:\n${lines.join('\n')}`);
}
