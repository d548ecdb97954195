import { fold } from '@app/common';

const NUMBER_WORDS = new Set(['number', 'nr', 'num', 'numero', 'nummer', 'no', 'n', 'num.', 'nbr']);
/** What labels shorten, in one word. */
const ABBREVIATIONS = new Map([
  ['trans', 'transaction'],
  ['txn', 'transaction'],
  ['trx', 'transaction'],
  ['acct', 'account'],
  ['acc', 'account'],
  ['ref', 'reference'],
  ['qty', 'quantity'],
  ['inv', 'invoice'],
  ['cust', 'customer'],
  ['amt', 'amount'],
  ['bal', 'balance'],
  ['pmt', 'payment'],
  ['dept', 'department'],
]);
/** At the end of a label: in what its value is counted. */
const UNITS = /(?:^| )(?:in )?(?:eur|usd|gbp|chf|aed|sar|qar|kwd|bhd|omr|egp|jod|inr|euro|ريال|درهم|دينار|جنيه)$/u;

/**
 * One spelling for a label, whatever its case, accents, punctuation, rate and currency: `Invoice-No.:` and `INVOICE #` are
 * `invoice no`, `VAT (19 %)` is `vat`, `الإجمالي` and `إجمالي` are one.
 */
export function labelKey(text: string): string {
  let key = fold(text.replace(/n\s?[°º]|[№#]/giu, ' no '))
    .replace(/['’`´]/g, ' ')
    .replace(/\(\s*(?:[a-z]{3}|\p{Sc}|%|[\d.,]+\s*%|(?:in )[a-z\p{Sc}]{1,4})\s*\)/gu, ' ')
    // With what the rate is of: "19 % auf 100,00 €".
    .replace(
      /(\d\s*[%٪])\s*(?:on|of|auf|von|sur|de|sobre|من|على)\s+(?:[a-z]{3} |\p{Sc} ?)?\d[\d.,'٫٬]*(?: ?\p{Sc}| (?:eur|usd|gbp|chf)(?![a-z]))?/gu,
      '$1 ',
    )
    .replace(/@?\s*\d+(?:[.,٫]\d+)?\s*[%٪]|[%٪]\s*\d+(?:[.,]\d+)?/gu, ' ')
    .replace(/(\p{L})\.(?=\p{L})/gu, '$1')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  key = key
    .split(' ')
    .map((token) => (NUMBER_WORDS.has(token) ? 'no' : (ABBREVIATIONS.get(token) ?? token.replace(/^ال(?=.{3})/u, ''))))
    .join(' ');
  // "1. Name", "a) Name".
  key = key.replace(/^(?:\d{1,2}|[a-h]) (?=\p{L}{2})/u, '');
  return key.replace(UNITS, '').trim();
}

/** The keys of a name: as it is written ("MwSt", "USt-IdNr"), and in the words that capitals part ("invoiceNumber"). */
export const keysOfName = (name: string): string[] => [
  ...new Set([labelKey(name.replaceAll('_', ' ')), labelKey(wordsOfName(name))].filter(Boolean)),
];

/** `invoiceNumber`, `invoice_number` and `topmost[0].InvoiceNumber[0]` as words. */
export const wordsOfName = (name: string): string =>
  (name.split('.').findLast((part) => /\p{L}{2}/u.test(part)) ?? name)
    .replace(/\[\d+\]/g, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim();
