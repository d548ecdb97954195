// What is asked of each kind of document: the same columns for every layout, whether it shows them or not.
export const column = (name, over = {}) => ({
  name,
  instruction: '',
  outputType: 'string',
  format: null,
  required: false,
  enum: null,
  reference: null,
  ...over,
});
export const money = (name, over = {}) => column(name, { outputType: 'number', format: 'currency', ...over });
export const day = (name, over = {}) => column(name, { format: 'date', ...over });

export const COLUMNS = {
  invoice: [
    column('Invoice number'),
    day('Invoice date'),
    day('Due date'),
    column('PO number'),
    column('Customer'),
    money('Subtotal'),
    money('VAT amount'),
    money('Total'),
    column('VAT ID'),
    column('IBAN', { format: 'iban' }),
    column('Email', { format: 'email' }),
    column('summary', { instruction: 'Summarise the document in one sentence.' }),
  ],
  order: [
    column('Order number'),
    day('Order date'),
    day('Delivery date'),
    column('Customer'),
    money('total_amount', { instruction: 'The grand total' }),
    column('Payment terms'),
  ],
  receipt: [column('Receipt number'), day('Date'), money('Total'), money('VAT'), column('Payment method')],
  form: [
    column('Full name'),
    day('Date of birth'),
    column('Nationality'),
    column('Phone'),
    column('Email', { format: 'email' }),
    column('ID number'),
    column('City'),
  ],
};
export const ITEM_COLUMNS = [
  column('Description'),
  column('Quantity', { outputType: 'number' }),
  money('Unit price'),
  money('Amount'),
];
