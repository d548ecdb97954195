import { discounted, fullAmount, type TestCheckout } from '@app/billing';
import { formatMoney } from '@app/common';
import { button, html, type Html } from './html-page.js';
import { WORDS, type Words } from './words.js';

function priceIn({ ordered }: TestCheckout): string {
  const { unitAmount, seats, coupon, currency } = ordered;
  return `${formatMoney(discounted(fullAmount(unitAmount, seats), coupon), currency)} ${currency}`;
}

function orderIn(checkout: TestCheckout, words: Words): Html {
  const { planName, seats, period, coupon, trialDays } = checkout.ordered;
  const price = priceIn(checkout);
  return html`<table>
    <tr>
      <th>${words.plan}
      <td>${planName}

    <tr>
      <th>${words.seats}
      <td>${seats}

    <tr>
      <th>${words.period}
      <td>
        ${words[period]}
        ${
          coupon
            ? html`<tr>
                <th>${words.coupon}
                <td>${coupon.code}
               `
            : null
        }

    <tr>
      <th>${words.dueNow}
      <td>${trialDays > 0 ? words.dueLater(price, trialDays) : price}
  </table>`;
}

/** The pay page: an order with what people can do about it. */
export function checkoutBody(
  checkout: TestCheckout,
  { isDeclined, isOver }: { isDeclined: boolean; isOver: boolean },
): Html {
  const words = WORDS[checkout.ordered.language];
  const { successUrl, cancelUrl, trialDays } = checkout.ordered;
  if (checkout.status === 'complete')
    return html`<p>${words.paid}</p>
      ${orderIn(checkout, words)}
      <p><a href="${successUrl}">${words.back}</a></p>`;
  if (isOver)
    return html`<p>${words.over}</p>
      <p><a href="${cancelUrl}">${words.back}</a></p>`;
  return html`${isDeclined ? html`<p class="wrong">${words.declined}</p>` : null} ${orderIn(checkout, words)}
    <p>
      ${button('pay', trialDays > 0 ? words.begin : words.pay, {}, true)}${button('decline', words.decline)}${button('leave', words.leave)}
    </p>`;
}
