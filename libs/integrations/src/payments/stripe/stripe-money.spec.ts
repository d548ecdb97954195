import { currencyDigits } from '@app/common';
import * as fc from 'fast-check';
import { fromStripeAmount, toStripeAmount } from './stripe-money.js';

/** https://docs.stripe.com/currencies: how many digits Stripe writes, of all that it charges in with other than two. */
const NONE = 'BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF'.split(' ');
const WHOLE_BUT_WRITTEN_WITH_TWO = ['ISK', 'UGX'];
const THREE_OF_WHICH_THE_LAST_IS_ZERO = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];
const TWO =
  'AED AUD BRL CAD CHF CNY CZK DKK EUR GBP HUF INR MAD MXN NOK PLN QAR RON SAR SEK SGD THB TRY TWD USD ZAR'.split(' ');

const digitsAtStripe = (currency: string) =>
  NONE.includes(currency) ? 0 : THREE_OF_WHICH_THE_LAST_IS_ZERO.includes(currency) ? 3 : 2;
/** The same money, in units so small that everything is whole. */
const inThousandths = (amount: number, digits: number) => BigInt(amount) * 10n ** BigInt(3 - digits);

const currencies = fc.constantFrom(...NONE, ...WHOLE_BUT_WRITTEN_WITH_TWO, ...THREE_OF_WHICH_THE_LAST_IS_ZERO, ...TWO);
const charged = fc.tuple(currencies, fc.integer({ min: 0, max: 999_999_999 })).map(([currency, amount]) => ({
  currency,
  amount: THREE_OF_WHICH_THE_LAST_IS_ZERO.includes(currency) ? amount * 10 : amount,
}));

it('is the same money at Stripe, and comes back as it went', () => {
  fc.assert(
    fc.property(charged, ({ currency, amount }) => {
      const there = toStripeAmount(amount, currency);
      expect(inThousandths(there, digitsAtStripe(currency))).toBe(inThousandths(amount, currencyDigits(currency)));
      expect(fromStripeAmount(there, currency)).toBe(amount);
      if (WHOLE_BUT_WRITTEN_WITH_TWO.includes(currency)) expect(there % 100).toBe(0);
      if (THREE_OF_WHICH_THE_LAST_IS_ZERO.includes(currency)) expect(there % 10).toBe(0);
    }),
  );
});

it('refuses what Stripe cannot charge to the last digit', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...THREE_OF_WHICH_THE_LAST_IS_ZERO),
      fc.nat(99_999),
      fc.integer({ min: 1, max: 9 }),
      (currency, tens, rest) => {
        expect(() => toStripeAmount(tens * 10 + rest, currency)).toThrow('cannot charge');
      },
    ),
  );
  expect(() => toStripeAmount(Number.MAX_SAFE_INTEGER, 'ISK')).toThrow('cannot charge');
});

it('rounds what Stripe reckoned to parts of a currency that has none', () => {
  expect([149, 150, -150, 99, 0].map((amount) => fromStripeAmount(amount, 'ISK'))).toEqual([1, 2, -2, 1, 0]);
});
