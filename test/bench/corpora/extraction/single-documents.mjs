// Ten documents of kinds that the rules were never tried on, each written once, with what a careful reader takes out of them; null:
// the document does not say it. They were run once as they were before anything was mended on them.
import { column, day, money } from './columns.mjs';

const number = (name) => column(name, { outputType: 'number' });
const percent = (name) => column(name, { outputType: 'number', format: 'percent' });
const page = (body, css = '') =>
  `<!doctype html><meta charset="utf-8"><style>body{font:12px 'DejaVu Serif',serif;margin:0;line-height:1.35}table{border-collapse:collapse}.n{text-align:right}${css}</style><body>${body}</body>`;
const table = (heads, rows, css = '') =>
  `<table style="${css}"><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;

const insurance = {
  name: 'insurance-letter',
  html: page(`<p><b>Northgate Mutual Insurance Co.</b><br>PO Box 118, Leeds LS1 4AB · Tel: 0113 496 0220 · claims@northgate.example</p>
    <p>Mr Tobias Wren<br>8 Quarry Rise<br>Otley LS21 3DD</p><p>York, 12 May 2026</p>
    <p>Policy No: NM/77-20418<br>Claim reference: CL-2026-0933<br>Date of loss: 28 April 2026<br>Insured: Tobias Wren</p>
    <p>Dear Mr Wren,</p><p>Thank you for your claim. The annual premium of £412.80 is payable by 1 June 2026. An excess applies.</p>
    <table><tr><td>Sum insured:</td><td class=n>£85,000.00</td></tr><tr><td>Excess:</td><td class=n>£250.00</td></tr><tr><td>Amount payable:</td><td class=n>£1,174.35</td></tr></table>
    <p>Yours sincerely,<br>P. Holt</p>`),
  columns: [
    [column('Policy number'), 'NM/77-20418'],
    [column('Claim reference'), 'CL-2026-0933'],
    [day('Date of loss'), '2026-04-28'],
    [column('Insured'), 'Tobias Wren'],
    [money('Sum insured'), 85000],
    [money('Excess'), 250],
    [money('Amount payable'), 1174.35],
    [day('Due date'), '2026-06-01'],
    [column('Phone'), '0113 496 0220'],
    [day('Invoice date'), null],
    [money('Total'), { maybe: 1174.35 }],
  ],
};

const delivery = {
  name: 'delivery-note',
  html: page(
    `<h2>Lieferschein</h2><table width=100%><tr><td>Kessler Metallbau GmbH &amp; Co. KG<br>Industriestr. 9<br>73230 Kirchheim</td><td>Lieferschein-Nr.: LS-88213<br>Lieferdatum: 04.05.2026<br>Auftrags-Nr.: AB-5512 Kunden-Nr.: 20077<br>Druckdatum: 03.05.2026</td></tr></table>
    <p>Spediteur: Rapid Transporte e.K.</p>
    ${table(
      ['Pos.', 'Art.-Nr.', 'Bezeichnung', 'Menge', 'Einheit', 'Gewicht kg'],
      [
        ['1', '4711-A', 'Winkel verzinkt 40 x 40', '250', 'Stk', '31,25'],
        ['2', '4712', 'Flachstahl 30 x 5, 6 m', '12', 'Stk', '84,60'],
        ['3', '9001-B', 'Schrauben M8 x 20 gemischt', '1.000', 'Stk', '12,00'],
      ],
      'font-size:11px',
    )}
    <p>Gesamtgewicht: 127,85 kg · Anzahl Packstücke: 3</p><p>Ware erhalten: ________________ Datum: ____________</p>`,
    'td,th{border:1px solid #777;padding:1px 3px}',
  ),
  columns: [
    [column('Delivery note number'), 'LS-88213'],
    [day('Delivery date'), '2026-05-04'],
    [column('Order number'), 'AB-5512'],
    [column('Customer number'), '20077'],
    [column('Spediteur'), 'Rapid Transporte e.K.'],
    [number('Gesamtgewicht'), 127.85],
    [number('Anzahl Packstücke'), 3],
    [day('Invoice date'), null],
    [money('Total'), null],
  ],
  items: {
    columns: [column('Art.-Nr.'), column('Bezeichnung'), number('Menge'), column('Einheit')],
    rows: [
      ['4711-A', 'Winkel verzinkt 40 x 40', 250, 'Stk'],
      ['4712', 'Flachstahl 30 x 5, 6 m', 12, 'Stk'],
      ['9001-B', 'Schrauben M8 x 20 gemischt', 1000, 'Stk'],
    ],
  },
};

const dental = {
  name: 'dental-bill',
  html: page(
    `<p>Zahnarztpraxis Dr. med. dent. Lena Brandt<br>Marktplatz 3, 72764 Reutlingen</p><p>Patient: Jonas Adler, geb. am 11.09.1987</p><p style="text-align:right">Reutlingen, den 19. Mai 2026</p>
    <p><b>Rechnung Nr. 2026/0442</b></p><p>Behandlungszeitraum: 02.04.2026 bis 30.04.2026</p>
    ${table(
      ['Datum', 'Zahn', 'GOZ-Nr.', 'Leistung', 'Anzahl', 'Faktor', 'Betrag'],
      [
        ['02.04.2026', '26', '2080', 'Kompositfüllung, zweiflächig', '1', '2,3', '71,85'],
        ['02.04.2026', '26', '0090', 'Infiltrationsanästhesie', '2', '2,3', '15,52'],
        ['30.04.2026', '', '1040', 'Professionelle Zahnreinigung', '28', '2,3', '101,44'],
      ],
    )}
    <table style="margin-left:300px"><tr><td>Summe Honorar</td><td class=n>188,81 €</td></tr><tr><td>Material und Labor</td><td class=n>24,10 €</td></tr><tr><td><b>Rechnungsbetrag</b></td><td class=n><b>212,91 €</b></td></tr></table>
    <p>Bitte überweisen Sie den Betrag bis zum 18.06.2026 auf das Konto IBAN: DE89 3704 0044 0532 0130 00 BIC: COBADEFFXXX. Steuernummer: 78/123/45678</p>`,
    'td,th{padding:2px 4px;text-align:left}',
  ),
  columns: [
    [column('Invoice number'), '2026/0442'],
    [day('Invoice date'), '2026-05-19'],
    [day('Due date'), '2026-06-18'],
    [money('Total'), 212.91],
    [column('IBAN', { format: 'iban' }), 'DE89370400440532013000'],
    [column('BIC'), 'COBADEFFXXX'],
    [column('Steuernummer'), '78/123/45678'],
    [day('Date of birth'), '1987-09-11'],
    [money('Material und Labor'), 24.1],
    [money('VAT'), null],
  ],
  items: {
    columns: [day('Datum'), column('Leistung'), number('Anzahl'), money('Betrag')],
    rows: [
      ['2026-04-02', 'Kompositfüllung, zweiflächig', 1, 71.85],
      ['2026-04-02', 'Infiltrationsanästhesie', 2, 15.52],
      ['2026-04-30', 'Professionelle Zahnreinigung', 28, 101.44],
    ],
  },
};

const taxNotice = {
  name: 'tax-notice',
  html: page(`<p>DIRECTION GÉNÉRALE DES FINANCES PUBLIQUES<br>Centre des impôts de Dijon</p><h3>AVIS D'IMPÔT SUR LES REVENUS</h3>
    <table><tr><td>Numéro fiscal :</td><td>13 07 884 221 905</td></tr><tr><td>Référence de l'avis :</td><td>26 A 0418772 31</td></tr><tr><td>Date d'établissement :</td><td>06/07/2026</td></tr><tr><td>Date limite de paiement :</td><td>15/09/2026</td></tr></table>
    <table style="margin-top:20px;width:380px"><tr><td>Revenu fiscal de référence</td><td class=n>38 412 €</td></tr><tr><td>Impôt sur le revenu net</td><td class=n>2 918 €</td></tr><tr><td>Prélèvement à la source déjà versé</td><td class=n>2 604 €</td></tr><tr><td><b>Montant à payer</b></td><td class=n><b>314 €</b></td></tr></table>
    <p>Taux moyen d'imposition : 7,6 %</p><p>À payer avant le 15 septembre 2026 par virement, chèque ou en ligne.</p>`),
  columns: [
    [column('Numéro fiscal'), '13 07 884 221 905'],
    [column("Référence de l'avis"), '26 A 0418772 31'],
    [day('Due date'), '2026-09-15'],
    [money('Montant à payer'), 314],
    [money('Revenu fiscal de référence'), 38412],
    [percent("Taux moyen d'imposition"), 7.6],
    [day('Invoice date'), null],
    [money('VAT'), null],
  ],
};

const report = {
  name: 'school-report',
  html: page(
    `<h2>Hillcrest Secondary School</h2><h3>End of year report</h3>
    <table width=100%><tr><td><b>Pupil:</b> Amelia Stone</td><td><b>Form:</b> 9B</td><td><b>Date:</b> 10 July 2026</td></tr><tr><td><b>Form tutor:</b> Mr J. Pike</td><td><b>Attendance:</b> 96.4 %</td><td><b>Days absent:</b> 7</td></tr></table>
    ${table(
      ['Subject', 'Teacher', 'Grade', 'Mark'],
      [
        ['Mathematics', 'Mrs Lowe', 'A', '87'],
        ['English', 'Mr Day', 'B', '74'],
        ['Physics', 'Dr Okoye', 'A', '91'],
      ],
      'width:70%;margin-top:12px',
    )}
    <p>Overall average: 84</p><p>Amelia has worked hard. Due to the fire drill on 3 July 2026 one exam was moved.</p>`,
    'td,th{text-align:left;padding:3px}',
  ),
  columns: [
    [column('Pupil'), 'Amelia Stone'],
    [column('Form'), '9B'],
    [day('Date'), '2026-07-10'],
    [column('Form tutor'), 'Mr J. Pike'],
    [percent('Attendance'), 96.4],
    [number('Days absent'), 7],
    [number('Overall average'), 84],
    [day('Due date'), null],
    [money('Total'), null],
  ],
  items: {
    columns: [column('Subject'), column('Teacher'), column('Grade'), number('Mark')],
    rows: [
      ['Mathematics', 'Mrs Lowe', 'A', 87],
      ['English', 'Mr Day', 'B', 74],
      ['Physics', 'Dr Okoye', 'A', 91],
    ],
  },
};

const rent = {
  name: 'rent-statement',
  html: page(
    `<h3>TENANT RENT STATEMENT</h3><table width=100% class=b><tr><td>Tenant</td><td>Priya Raman</td><td>Statement date</td><td>1 April 2026</td></tr><tr><td>Property</td><td>Flat 4, 19 Canal Street</td><td>Tenancy ref</td><td>TN-40071</td></tr><tr><td>Monthly rent</td><td>950.00</td><td>Deposit held</td><td>1,095.00</td></tr></table>
    ${table(
      ['Date', 'Details', 'Charge', 'Payment', 'Balance'],
      [
        ['01/03/2026', 'Rent March', '950.00', '', '950.00'],
        ['04/03/2026', 'Received with thanks', '', '950.00', '0.00'],
        ['31/03/2026', 'Key replacement', '35.50', '', '35.50'],
      ],
      'margin-top:14px;width:100%',
    )}
    <p><b>Balance due: £35.50</b></p><p>Please pay by 15 April 2026.</p>`,
    '.b td{border:1px solid #999;padding:3px}',
  ),
  columns: [
    [column('Tenant'), 'Priya Raman'],
    [day('Statement date'), '2026-04-01'],
    [column('Property'), 'Flat 4, 19 Canal Street'],
    [column('Tenancy reference'), 'TN-40071'],
    [money('Monthly rent'), 950],
    [money('Deposit held'), 1095],
    [money('Balance due'), 35.5],
    [day('Due date'), '2026-04-15'],
    [day('Invoice date'), null],
  ],
};

const customs = {
  name: 'customs-form',
  html: page(
    `<h3>CN23 CUSTOMS DECLARATION</h3><table class=b width=100%><tr><td>Sender's name<br><b>Orla Finch</b></td><td>Addressee's name<br><b>Marc Dubois</b></td></tr><tr><td>Item number<br><b>RR 482 117 905 GB</b></td><td>Country of destination<br><b>Switzerland</b></td></tr><tr><td>Category of item<br><b>Gift</b></td><td>Postal charges<br><b>GBP 18.45</b></td></tr></table>
    ${table(
      ['Description of contents', 'Quantity', 'Net weight (kg)', 'Value (GBP)', 'HS tariff no.', 'Origin'],
      [
        ['Cotton T-shirt', '2', '0.450', '24.00', '610910', 'GB'],
        ['Wooden puzzle for children', '1', '0.800', '31.50', '950300', 'DE'],
      ],
      'margin-top:10px;font-size:11px',
    )}
    <p>Total gross weight (kg): 1.520</p><p>Total value: GBP 55.50</p><p>Date and signature: 22 June 2026 O. Finch</p>`,
    '.b td,td,th{border:1px solid #333;padding:2px 3px;text-align:left}',
  ),
  columns: [
    [column("Sender's name"), 'Orla Finch'],
    [column("Addressee's name"), 'Marc Dubois'],
    [column('Country of destination'), 'Switzerland'],
    [column('Category of item'), 'Gift'],
    [money('Postal charges'), 18.45],
    [money('Total value'), 55.5],
    [day('Invoice date'), null],
    [day('Due date'), null],
  ],
  items: {
    columns: [
      column('Description of contents'),
      number('Quantity'),
      money('Value'),
      column('HS tariff no.'),
      column('Origin'),
    ],
    rows: [
      ['Cotton T-shirt', 2, 24, '610910', 'GB'],
      ['Wooden puzzle for children', 1, 31.5, '950300', 'DE'],
    ],
  },
};

const credit = {
  name: 'credit-note',
  html: page(
    `<table width=100%><tr><td><h2>Bramble Tools Ltd.</h2></td><td class=n>CREDIT NOTE<br>Credit note no. CN-3391<br>Date 8 June 2026<br>Original invoice INV-20881<br>Original invoice date 20 May 2026</td></tr></table>
    <p>Customer: Pike &amp; Daughters Ltd.<br>Cust No: PD-118<br>Reason: goods returned; box damaged.</p>
    ${table(
      ['Part', 'Description', 'Qty', 'Price', 'Amount'],
      [
        ['BT-20', 'Torque wrench', '2', '48.00', '-96.00'],
        ['BT-31', 'Bit set, 32 pieces', '1', '19.50', '-19.50'],
      ],
      'width:100%',
    )}
    <p class=n>Net -115.50<br>VAT @ 20% -23.10<br><b>Total credit -138.60</b></p><p>Terms Net 30. VAT Reg No GB 123 4567 89</p>`,
    'td,th{text-align:left;padding:2px}',
  ),
  columns: [
    [column('Credit note number'), 'CN-3391'],
    [column('Customer'), 'Pike & Daughters Ltd.'],
    [column('Customer number'), 'PD-118'],
    [money('Net'), -115.5],
    [money('VAT'), -23.1],
    [money('Total credit'), -138.6],
    [column('Reason'), 'goods returned; box damaged.'],
    [day('Original invoice date'), '2026-05-20'],
    [column('VAT registration number'), 'GB 123 4567 89'],
    [day('Due date'), null],
  ],
  items: {
    columns: [column('Part'), column('Description'), number('Qty'), money('Price'), money('Amount')],
    rows: [
      ['BT-20', 'Torque wrench', 2, 48, -96],
      ['BT-31', 'Bit set, 32 pieces', 1, 19.5, -19.5],
    ],
  },
};

const mail = {
  name: 'subscription-mail',
  text: `From: Lumen Notes <billing@lumen.example>
To: dana@example.org
Subject: Your Lumen Notes receipt #4471-2209

Hi Dana,

thanks for staying with us. Your plan renewed on June 3, 2026.

Receipt number: 4471-2209
Plan: Team (5 seats)
Billing period: Jun 3, 2026 - Jul 2, 2026
Payment method: Visa ending in 4242

Team plan x 5          $60.00
Discount (10%)         -$6.00
Tax 8.25%               $4.46
Total charged          $58.46

Next payment due: July 3, 2026
Account ID: ac_93k21 | Support: help@lumen.example

Lumen Notes Inc., 500 Pine St, Austin`,
  columns: [
    [column('Receipt number'), '4471-2209'],
    [column('Plan'), 'Team (5 seats)'],
    [column('Payment method'), 'Visa ending in 4242'],
    [money('Discount'), -6],
    [money('Tax'), 4.46],
    [money('Total charged'), 58.46],
    [day('Next payment due'), '2026-07-03'],
    [column('Account ID'), 'ac_93k21'],
    [column('Support', { format: 'email' }), 'help@lumen.example'],
    [column('VAT ID'), null],
  ],
};

const worksheet = {
  name: 'worksheet-csv',
  text: `Site\tHarbour depot\tWeek ending\t2026-06-14
Supervisor\tL. Moreno\tSheet no\tWS-117

Employee\tDate\tHours\tRate\tAmount
Ann Petty\t2026-06-08\t7.5\t18.20\t136.50
Ben Okafor\t2026-06-08\t8\t17.00\t136.00
Ben Okafor\t2026-06-09\t6.25\t17.00\t106.25

Total hours\t21.75
Total\t378.75`,
  columns: [
    [column('Site'), 'Harbour depot'],
    [day('Week ending'), '2026-06-14'],
    [column('Supervisor'), 'L. Moreno'],
    [column('Sheet no'), 'WS-117'],
    [number('Total hours'), 21.75],
    [money('Total'), 378.75],
    [day('Due date'), null],
  ],
  items: {
    columns: [column('Employee'), day('Date'), number('Hours'), money('Rate'), money('Amount')],
    rows: [
      ['Ann Petty', '2026-06-08', 7.5, 18.2, 136.5],
      ['Ben Okafor', '2026-06-08', 8, 17, 136],
      ['Ben Okafor', '2026-06-09', 6.25, 17, 106.25],
    ],
  },
};

export const SINGLE = [insurance, delivery, dental, taxNotice, report, rent, customs, credit, mail, worksheet];
