import type { TestSubscription } from '@app/billing';
import { formatMoney } from '@app/common';
import type { ProcessorInvoice } from '@app/integrations';
import { button, html, type Html } from './html-page.js';
import { WORDS, type PageLanguage, type Words } from './words.js';

interface PortalView {
  language: PageLanguage;
  declines: boolean;
  paidFor: readonly { subscription: TestSubscription; invoices: readonly ProcessorInvoice[] }[];
}

const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

function invoiceRow(invoice: ProcessorInvoice, words: Words): Html {
  return html`<tr>
    <td><a href="../../invoices/${invoice.id}/">${invoice.number ?? invoice.id}</a>
    <td>${dayOf(invoice.createdAt)}
    <td>${invoice.description}
    <td>${formatMoney(invoice.amount, invoice.currency)} ${invoice.currency}
    <td>${words.states[invoice.status] ?? invoice.status}
   `;
}

function actionsOf({ id, status }: TestSubscription, words: Words): Html {
  const of = { subscription: id };
  if (status === 'trialing') return button('advance', words.advanceTrial, of);
  if (status === 'active') return button('advance', words.advance, of);
  if (status === 'past_due')
    return html`${button('pay_open', words.payOpen, of, true)}${button('advance', words.retry, of)}`;
  return status === 'unpaid' ? button('pay_open', words.payOpen, of, true) : html``;
}

/** The portal: invoices, and what makes each state of a subscription happen. */
export function portalBody({ language, declines, paidFor }: PortalView): Html {
  const words = WORDS[language];
  const sections = paidFor.map(
    ({ subscription, invoices }) =>
      html`<h2>${subscription.planName} – ${words.states[subscription.status] ?? subscription.status}</h2>
        <p>
          ${words.seats}: ${subscription.seats} · ${words[subscription.period]} · ${words.until}
          ${dayOf(subscription.periodEnd)}
        </p>
        <p>${actionsOf(subscription, words)}</p>
        <h3>${words.invoices}</h3>
        ${
          invoices.length === 0
            ? html`<p>${words.noInvoices}</p>`
            : html`<table>
                ${invoices.map((invoice) => invoiceRow(invoice, words))}
              </table>`
        }`,
  );
  return html`<p>
      ${declines ? words.paymentsFail : words.paymentsSucceed}
      ${declines ? button('pay_next', words.payNext) : button('fail_next', words.failNext)}
    </p>
    ${sections}
    <p>${button('leave', words.back)}</p>`;
}

/** One invoice; it names nobody. */
export function invoiceBody(invoice: ProcessorInvoice, language: PageLanguage): Html {
  const words = WORDS[language];
  return html`<table>
    <tr>
      <th>${words.date}
      <td>${dayOf(invoice.createdAt)}

    <tr>
      <th>${words.plan}
      <td>${invoice.description}

    <tr>
      <th>${words.period}
      <td>
        ${dayOf(invoice.periodStart ?? invoice.createdAt)} – ${dayOf(invoice.periodEnd ?? invoice.createdAt)}
        ${
          invoice.couponCode
            ? html`<tr>
                <th>${words.coupon}
                <td>${invoice.couponCode}
               `
            : null
        }

    <tr>
      <th>${words.amount}
      <td>${formatMoney(invoice.amount, invoice.currency)} ${invoice.currency}

    <tr>
      <th>${words.state}
      <td>${words.states[invoice.status] ?? invoice.status}
  </table>`;
}
