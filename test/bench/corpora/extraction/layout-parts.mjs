// What the layouts of all corpora are made of.
import { iso } from './made-data.mjs';

/** A page of HTML as Chromium prints it. @param lead the height of a line, in ems */
export const page = (body, { dir = 'ltr', font = 'DejaVu Sans', size = 11, lead = 1.4, css = '' } = {}) =>
  `<!doctype html><html dir="${dir}"><meta charset="utf-8"><style>body{font:${size}px '${font}',sans-serif;margin:0;line-height:${lead}}table{border-collapse:collapse}${css}</style><body>${body}</body></html>`;

export const itemTruth = (data) =>
  data.lines.map((line) => ({
    Description: line.description,
    Quantity: line.quantity,
    'Unit price': line.price,
    Amount: line.amount,
  }));

/** What an invoice says of each asked column; `over` says it of others, or otherwise. */
export const invoiceTruth = (data, over = {}) => ({
  'Invoice number': data.number,
  'Invoice date': iso(data.date),
  'Due date': iso(data.due),
  'PO number': null,
  Customer: null,
  Subtotal: data.net,
  'VAT amount': data.tax,
  Total: data.total,
  'VAT ID': null,
  IBAN: null,
  Email: null,
  summary: null,
  ...over,
});
