// Ten layouts on which the rules were tuned. Written before the rules were run for the first time.
import { invoiceTruth, itemTruth, page } from './layout-parts.mjs';
import { dates, iso, numbers, strokesAreClear } from './made-data.mjs';

const classicMoney = (value) => `£${numbers.en(value)}`;

/** Labels with colons at the right, block of the customer, items, sums right-aligned, an advertisement below. */
function classic(data) {
  const rows = data.lines
    .map(
      (l) =>
        `<tr><td>${l.description}</td><td class=n>${l.quantity}</td><td class=n>${classicMoney(l.price)}</td><td class=n>${classicMoney(l.amount)}</td></tr>`,
    )
    .join('');
  const html = page(
    `<h1>INVOICE</h1><div style="float:right;width:220px"><div>Invoice No: ${data.number}</div><div>Invoice Date: ${dates.long(data.date)}</div><div>Due Date: ${dates.long(data.due)}</div><div>PO Number: ${data.order}</div></div>
    <div>${data.vendor}<br>${data.street}<br>${data.city}</div><br><b>Bill To</b><br>${data.customer}<br>1 Station Road<br>Cardiff
    <table width=100% style="margin-top:30px"><tr><th align=left>Description</th><th align=right>Qty</th><th align=right>Unit Price</th><th align=right>Amount</th></tr>${rows}</table>
    <table align=right style="margin-top:14px"><tr><td width=140>Subtotal</td><td class=n>${classicMoney(data.net)}</td></tr><tr><td>VAT (${data.vatRate}%)</td><td class=n>${classicMoney(data.tax)}</td></tr><tr><td><b>Total</b></td><td class=n><b>${classicMoney(data.total)}</b></td></tr></table>
    <p style="clear:both;padding-top:60px">Please pay to IBAN: ${data.iban}. Questions: ${data.email}</p><small>Total liability is limited to £1,000,000.00. Save 20% — orders over £99.00 ship free! Page 1 of 1</small>`,
    {
      css: 'td,th{padding:5px}.n{text-align:right}th{border-bottom:1px solid}td:first-child{width:auto}td{max-width:190px}',
    },
  );
  return {
    html,
    truth: invoiceTruth(data, { 'PO number': data.order, Customer: data.customer, IBAN: data.iban, Email: data.email }),
    items: itemTruth(data),
  };
}

const germanMoney = (value) => `${numbers.de(value)} €`;

/** German letter: line of facts as a table of headings and values. */
function german(data) {
  const rows = data.lines
    .map(
      (l, i) =>
        `<tr><td>${i + 1}</td><td style="width:210px">${l.description}</td><td class=n>${l.quantity}</td><td class=n>${germanMoney(l.price)}</td><td class=n>${germanMoney(l.amount)}</td></tr>`,
    )
    .join('');
  const html = page(
    `<p style="font-size:8px">${data.vendor} · ${data.street} · ${data.city}</p><p>${data.customer}<br>Ringstraße 9<br>12345 Bonn</p><h2>Rechnung</h2>
    <table width=100%><tr><td>Rechnungsnummer</td><td>Rechnungsdatum</td><td>Kundennummer</td><td>Fällig am</td></tr><tr><td>${data.number}</td><td>${dates.dots(data.date)}</td><td>K-10023</td><td>${dates.dots(data.due)}</td></tr></table>
    <p>Vielen Dank für Ihren Auftrag. Wir berechnen Ihnen wie folgt:</p>
    <table width=100%><tr><th>Pos.</th><th align=left>Bezeichnung</th><th align=right>Menge</th><th align=right>Einzelpreis</th><th align=right>Gesamt</th></tr>${rows}
    <tr><td colspan=4 align=right>Nettobetrag</td><td class=n>${germanMoney(data.net)}</td></tr><tr><td colspan=4 align=right>zzgl. ${data.vatRate} % MwSt.</td><td class=n>${germanMoney(data.tax)}</td></tr><tr><td colspan=4 align=right><b>Gesamtbetrag</b></td><td class=n><b>${germanMoney(data.total)}</b></td></tr></table>
    <p style="margin-top:60px;font-size:9px">USt-IdNr.: ${data.vatId} &nbsp; IBAN: ${data.iban} &nbsp; Geschäftsführer: Karl Muster &nbsp; Stammkapital 25.000,00 €</p>`,
    { css: '.n{text-align:right}td,th{padding:4px}' },
  );
  return { html, truth: invoiceTruth(data, { 'VAT ID': data.vatId, IBAN: data.iban }), items: itemTruth(data) };
}

const arabicMoney = (value) => numbers.en(value);

/** Arabic, right to left, western digits. */
function arabic(data) {
  const rows = data.lines
    .map(
      (l) =>
        `<tr><td>${l.description}</td><td>${l.quantity}</td><td>${arabicMoney(l.price)}</td><td>${arabicMoney(l.amount)}</td></tr>`,
    )
    .join('');
  const html = page(
    `<h1>فاتورة ضريبية</h1><p>${data.vendor}</p><p>رقم الفاتورة: ${data.number}</p><p>تاريخ الفاتورة: ${dates.slashes(data.date)}</p><p>تاريخ الاستحقاق: ${dates.slashes(data.due)}</p><p>العميل: ${data.customer}</p><p>الرقم الضريبي: ${data.vatId}</p>
    <table width=100%><tr><th>الوصف</th><th>الكمية</th><th>سعر الوحدة</th><th>المبلغ</th></tr>${rows}</table>
    <table width=50% style="margin-top:20px"><tr><td>المجموع الفرعي</td><td>${arabicMoney(data.net)} ر.س</td></tr><tr><td>ضريبة القيمة المضافة (${data.vatRate}%)</td><td>${arabicMoney(data.tax)} ر.س</td></tr><tr><td>الإجمالي</td><td>${arabicMoney(data.total)} ر.س</td></tr></table>`,
    { dir: 'rtl', css: 'td,th{padding:5px;text-align:right}' },
  );
  const clear = strokesAreClear(data.date, data.due);
  return {
    html,
    truth: invoiceTruth(data, {
      Customer: data.customer,
      'VAT ID': data.vatId,
      'Invoice date': clear ? iso(data.date) : { maybe: iso(data.date) },
      'Due date': clear ? iso(data.due) : { maybe: iso(data.due) },
    }),
    items: itemTruth(data),
  };
}

const receiptMoney = (value) => numbers.plain(value);
const receiptLine = (label, value) =>
  `<div style="display:flex"><span>${label}</span><span style="flex:1;overflow:hidden;white-space:nowrap">${'.'.repeat(80)}</span><span>${value}</span></div>`;

/** A till receipt: narrow, sums in words and dots. */
function receipt(data) {
  const html = page(
    `<div style="width:260px"><center>${data.vendor}<br>${data.street}<br>Tel ${data.phone}</center><br>Receipt #: ${data.receipt}<br>Date: ${dates.iso(data.date)} 14:32<br><br>
    ${data.lines.map((l) => receiptLine(`${l.quantity} x ${l.description.slice(0, 14)}`, receiptMoney(l.amount))).join('')}<br>${receiptLine('Subtotal', receiptMoney(data.net))}${receiptLine(`VAT ${data.vatRate}%`, receiptMoney(data.tax))}${receiptLine('TOTAL', receiptMoney(data.total))}<br>Payment method: ${data.method}<br>Cash tendered 10,000.00 Change 1.15<br><center>Thank you! Win 500.00 at example.com</center></div>`,
    { font: 'DejaVu Sans Mono', size: 10 },
  );
  return {
    html,
    truth: {
      'Receipt number': data.receipt,
      Date: iso(data.date),
      Total: data.total,
      VAT: data.tax,
      'Payment method': data.method,
    },
  };
}

const orderMoney = (value) => `$${numbers.en(value)}`;

/** Key-value table with borders and a purchase order's items. */
function order(data) {
  const rows = data.lines
    .map(
      (l, i) =>
        `<tr><td>${i + 1}</td><td>${l.description}</td><td class=n>${l.quantity}</td><td class=n>${orderMoney(l.price)}</td><td class=n>${orderMoney(l.amount)}</td></tr>`,
    )
    .join('');
  const html = page(
    `<h1>Purchase Order</h1><table class=b><tr><td>Order No.</td><td>${data.order}</td></tr><tr><td>Order Date</td><td>${dates.usLong(data.date)}</td></tr><tr><td>Delivery Date</td><td>${dates.usLong(data.delivery)}</td></tr><tr><td>Customer</td><td>${data.customer}</td></tr><tr><td>Payment Terms</td><td>${data.terms}</td></tr></table>
    <table class=b width=100% style="margin-top:20px"><tr><th>#</th><th>Item</th><th>Quantity</th><th>Price</th><th>Line total</th></tr>${rows}<tr><td colspan=4>Order total</td><td class=n>${orderMoney(data.net)}</td></tr></table>`,
    { css: '.b td,.b th{border:1px solid #888;padding:5px}.n{text-align:right}' },
  );
  return {
    html,
    truth: {
      'Order number': data.order,
      'Order date': iso(data.date),
      'Delivery date': iso(data.delivery),
      Customer: data.customer,
      total_amount: data.net,
      'Payment terms': data.terms,
    },
    items: itemTruth(data),
  };
}

const formLine = (label, value) => `<p>${label}: <u>&nbsp;&nbsp;${value}&nbsp;&nbsp;</u></p>`;

/** A form with lines to write on. */
function form(data) {
  const html = page(
    `<h2>Application for membership</h2>${formLine('Full name', data.person)}${formLine('Date of birth', dates.long(data.born))}${formLine('Nationality', data.nation)}${formLine('Phone number', data.phone)}${formLine('E-mail', data.email)}${formLine('ID number', data.id)}${formLine('City', data.city)}<p>Office use only. Membership number: ________ Fee: 25.00</p>`,
    { size: 13 },
  );
  return {
    html,
    truth: {
      'Full name': data.person,
      'Date of birth': iso(data.born),
      Nationality: data.nation,
      Phone: data.phone,
      Email: data.email,
      'ID number': data.id,
      City: data.city,
    },
  };
}

const grandMoney = (value) => `${numbers.en(value)} USD`;

/** Two columns of facts, grand total beside a total without tax, an amount that is paid already. */
function grand(data) {
  const html = page(
    `<table width=100%><tr><td width=50% valign=top><b>From</b><br>${data.vendor}<br>${data.city}</td><td valign=top><b>To</b><br>${data.customer}<br>${data.street}</td></tr></table>
    <table width=100% style="margin-top:20px"><tr><td>Invoice #</td><td>${data.number}</td><td>Issue date</td><td>${dates.us(data.date)}</td></tr><tr><td>Purchase order</td><td>${data.order}</td><td>Payment due</td><td>${dates.us(data.due)}</td></tr></table>
    <p>Services as agreed.</p><table><tr><td>Total excl. VAT</td><td>${grandMoney(data.net)}</td></tr><tr><td>VAT ${data.vatRate} %</td><td>${grandMoney(data.tax)}</td></tr><tr><td>Grand total</td><td>${grandMoney(data.total)}</td></tr><tr><td>Amount paid</td><td>${grandMoney(100)}</td></tr><tr><td>Balance due</td><td>${grandMoney(data.total - 100)}</td></tr></table>`,
    { css: 'td{padding:4px}' },
  );
  const clear = strokesAreClear(data.date, data.due);
  return {
    html,
    truth: invoiceTruth(data, {
      'PO number': data.order,
      Customer: data.customer,
      'Invoice date': clear ? iso(data.date) : { maybe: iso(data.date) },
      'Due date': clear ? iso(data.due) : { maybe: iso(data.due) },
    }),
  };
}

const levantMoney = (value) => numbers.ar(value);

/** Arabic with eastern digits and months of the Levant, key-value table. */
function levant(data) {
  const html = page(
    `<h2>أمر شراء</h2><table class=b><tr><td>رقم الطلب</td><td>${data.order}</td></tr><tr><td>تاريخ الطلب</td><td>${dates.levant(data.date)}</td></tr><tr><td>تاريخ التسليم</td><td>${dates.levant(data.delivery)}</td></tr><tr><td>اسم العميل</td><td>${data.customer}</td></tr><tr><td>شروط الدفع</td><td>${data.terms}</td></tr><tr><td>الإجمالي قبل الضريبة</td><td>${levantMoney(data.net)}</td></tr><tr><td>الإجمالي الكلي</td><td>${levantMoney(data.total)}</td></tr></table>`,
    { dir: 'rtl', size: 13, css: '.b td{border:1px solid;padding:6px}' },
  );
  return {
    html,
    truth: {
      'Order number': data.order,
      'Order date': iso(data.date),
      'Delivery date': iso(data.delivery),
      Customer: data.customer,
      total_amount: data.total,
      'Payment terms': data.terms,
    },
  };
}

const germanFormCell = (label, value) =>
  `<td style="padding:8px 20px 8px 0;width:250px"><small>${label}</small><br>${value}</td>`;

/** German form, labels above their lines in two columns. */
function germanForm(data) {
  const html = page(
    `<h2>Anmeldung</h2><table><tr>${germanFormCell('Name', data.person)}${germanFormCell('Geburtsdatum', dates.dots(data.born))}</tr><tr>${germanFormCell('Staatsangehörigkeit', data.nation)}${germanFormCell('Telefon', data.phone)}</tr><tr>${germanFormCell('E-Mail', data.email)}${germanFormCell('Ausweisnummer', data.id)}</tr><tr>${germanFormCell('Ort', data.city)}${germanFormCell('Unterschrift', '')}</tr></table>`,
    { size: 12 },
  );
  return {
    html,
    truth: {
      'Full name': data.person,
      'Date of birth': iso(data.born),
      Nationality: data.nation,
      Phone: data.phone,
      Email: data.email,
      'ID number': data.id,
      City: data.city,
    },
  };
}

const longMoney = (value) => numbers.en(value);
const longRow = (l) =>
  `<tr><td>${l.description}</td><td class=n>${l.quantity}</td><td class=n>${longMoney(l.price)}</td><td class=n>${longMoney(l.amount)}</td></tr>`;

/** Several pages: heading repeated, sums carried forward, the same items more than once. */
function long(data) {
  const lines = [...data.lines, ...data.lines];
  const net = Math.round(lines.reduce((sum, l) => sum + l.amount, 0) * 100) / 100;
  const head =
    '<tr><th align=left>Product</th><th align=right>Hours</th><th align=right>Rate</th><th align=right>Net amount</th></tr>';
  const half = Math.ceil(lines.length / 2);
  const html = page(
    `<p><b>${data.vendor}</b></p><p>Invoice number ${data.number}</p><p>Date of issue ${dates.long(data.date)}</p><p>Payment due by ${dates.long(data.due)}</p><table width=100%>${head}${lines.slice(0, half).map(longRow).join('')}<tr><td colspan=3>Carried forward</td><td class=n>${longMoney(1)}</td></tr></table>
    <div style="page-break-before:always">Page 2</div><table width=100%>${head}${lines.slice(half).map(longRow).join('')}</table><p align=right>Net total: ${longMoney(net)}</p><p align=right>Total VAT: ${longMoney(data.tax)}</p><p align=right>Amount due: ${longMoney(data.total)}</p>`,
    { css: '.n{text-align:right}td,th{padding:4px}' },
  );
  return { html, truth: invoiceTruth(data, { Subtotal: net }), items: [...itemTruth(data), ...itemTruth(data)] };
}

export const TUNED = [
  { name: 'classic', kind: 'invoice', language: 'en', make: classic },
  { name: 'german', kind: 'invoice', language: 'de', make: german },
  { name: 'arabic', kind: 'invoice', language: 'ar', make: arabic },
  { name: 'receipt', kind: 'receipt', language: 'en', make: receipt },
  { name: 'order', kind: 'order', language: 'en', make: order },
  { name: 'form', kind: 'form', language: 'en', make: form, scans: 2 },
  { name: 'grand', kind: 'invoice', language: 'en', make: grand },
  { name: 'levant', kind: 'order', language: 'ar', make: levant },
  { name: 'german-form', kind: 'form', language: 'de', make: germanForm },
  { name: 'long', kind: 'invoice', language: 'en', make: long },
];
