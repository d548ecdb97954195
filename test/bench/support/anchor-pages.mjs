// Pages whose words are known: HTML in many layouts. `data-repeated` marks words that stand on a page more than once.
import { seededRandom } from './figures.mjs';

export const PAGE = { width: 794, height: 1123 };

const WORDS =
  `account agreement amount annual approval archive article assembly audit average balance bearing bridge budget building cabinet campaign capital carrier catalogue
  certificate channel charge circuit clause client collection column committee company condition confidential contract corridor council coverage customer damage deadline
  decision delivery department deposit design difficult director discount district document efficient electric employee engine equipment estimate evidence exchange expense
  facility factory field figure final finance flexible floor fluctuating foreign forecast framework freight function garden general guarantee harbour heating history
  hospital household identify immediate import increase indoor industry inspection insurance interest inventory invoice journal kitchen landlord language laundry leakage
  liability library license location machine maintenance manager margin material measure medicine membership merchant method minimum mortgage mutual network notice number
  object office official operation option order organisation original outdoor package payment penalty percent period permit personal planning platform policy position
  premium president pressure previous procedure process product profit project property proposal protection provision public quality quantity quarter question railway receipt
  record reduction reference region register regulation reliable renewal repair replacement request reserve resident resource response revenue river safety salary sample schedule
  section security segment service settlement shelter signature station statement storage street structure subject supplier support surface survey system technical tenant
  terminal territory ticket timetable traffic training transfer treatment tunnel union utility valuable vehicle village voltage warehouse warranty water weather window workshop`.split(
    /\s+/,
  );
const SMALL = 'the of and to in for with by on from under after before without between that which'.split(' ');
const ARABIC =
  `الشركة العقد المبلغ الفاتورة المشتري البائع التسليم الدفع الشهر السنة الضمان المشروع المدينة التقرير الإدارة الموظف الراتب الميزانية القسم السوق البناء المكتب الوثيقة
  الطلب الخدمة الصيانة التأمين المستأجر المالك الإيجار المحكمة القانون المادة الشروط الأحكام التاريخ العنوان الرقم القيمة الضريبة الخصم الإجمالي النقل الميناء الطريق السيارة`.split(
    /\s+/,
  );
const ARABIC_SMALL = 'في من إلى على عن مع بعد قبل خلال وفق'.split(' ');
const NAMES =
  'Okafor Lindqvist Moreau Petrov Castellano Haddad Nakamura Brennan Kowalski Fitzgerald Oliveira Steiner'.split(' ');
const FIRST = 'Amara Björn Chloé Dmitri Elena Farid Hana Imogen Jakub Keira Luís Monika'.split(' ');

const easternDigits = (text) => text.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
const paragraphs = (number, make) => Array.from({ length: number }, () => `<p>${make()}</p>`).join('');
const letter = (text) =>
  [...text]
    .map((sign) => (sign === ' ' ? ' ' : `<i style="font-style:normal;display:inline-block">${sign}</i>`))
    .join('');
const hyphenated = (text) => text.replace(/\p{L}{9,}/gu, (word) => `${word.slice(0, 4)}&shy;${word.slice(4)}`);
const page = (kind, body, style = '', more = {}) => ({
  kind,
  html: `<section style="${style}">${body}</section>`,
  ...more,
});
const lines = (text) => text.match(/.{20,46}(?:\s|$)/g) ?? [];

export function makePages(seed = 7) {
  const random = seededRandom(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const count = (from, to) => from + Math.floor(random() * (to - from + 1));
  const amount = () =>
    `${count(1, 999)}${random() < 0.5 ? `,${String(count(0, 999)).padStart(3, '0')}` : ''}.${String(count(0, 99)).padStart(2, '0')}`;
  const date = () => `${count(1, 28)} ${pick(['January', 'March', 'May', 'July', 'October'])} 20${count(10, 29)}`;
  const name = () => `${pick(FIRST)} ${pick(NAMES)}`;
  const sentence = () => {
    const words = Array.from({ length: count(7, 22) }, (_, at) => (at % 3 === 1 ? pick(SMALL) : pick(WORDS)));
    if (random() < 0.35) words.splice(count(2, words.length), 0, `${pick(['EUR', 'USD', '€', '£'])} ${amount()}`);
    if (random() < 0.25) words.splice(count(2, words.length), 0, `on ${date()}`);
    if (random() < 0.25) words.splice(count(2, words.length), 0, `(${name()})`);
    if (random() < 0.2) words.splice(count(2, words.length), 0, `“${pick(WORDS)} ${pick(WORDS)}”`);
    if (random() < 0.2) words.splice(count(2, words.length), 0, `– ${pick(WORDS)}’s ${pick(WORDS)} –`);
    const text = words.join(' ');
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  };
  const prose = (sentences) => Array.from({ length: sentences }, sentence).join(' ');
  const arabic = (sentences) =>
    Array.from({ length: sentences }, () => {
      const words = Array.from({ length: count(7, 16) }, (_, at) => (at % 3 === 1 ? pick(ARABIC_SMALL) : pick(ARABIC)));
      if (random() < 0.5)
        words.splice(
          count(1, words.length),
          0,
          random() < 0.5 ? String(count(100, 99999)) : easternDigits(String(count(100, 99999))),
        );
      if (random() < 0.2) words.splice(count(1, words.length), 0, 'Atrium Ltd');
      return `${words.join(' ')}.`;
    }).join(' ');
  const rows = (number) =>
    Array.from({ length: number }, (_, at) => {
      const quantity = count(1, 9);
      return `<tr><td>${at + 1}</td><td>${pick(WORDS)} ${pick(WORDS)} ${pick(['A', 'B', 'XL'])}-${count(100, 999)}</td><td>${quantity}</td><td>${amount()}</td><td>${amount()}</td></tr>`;
    }).join('');
  const table = (number) =>
    `<table><thead><tr><th>No.</th><th>Description</th><th>Quantity</th><th>Unit price</th><th>Total</th></tr></thead><tbody>${rows(number)}</tbody></table>`;
  const acrossColumns = () => {
    // Written line by line across both columns, as some producers and all scanners do.
    const [left, right] = [lines(prose(14)), lines(prose(14))];
    return Array.from({ length: Math.min(left.length, right.length, 40) }, (_, at) =>
      [
        [left, 40],
        [right, 420],
      ]
        .map(
          ([side, x]) =>
            `<span class="at" data-flow="${x}" style="left:${x}px;top:${60 + at * 22}px">${side[at]}</span>`,
        )
        .join(''),
    ).join('');
  };

  const pages = [];
  for (let round = 0; round < 4; round += 1) {
    pages.push(page('two columns', `<h1>${prose(1)}</h1><div class="columns">${paragraphs(7, () => prose(3))}</div>`));
    pages.push(
      page(
        'turned',
        paragraphs(9, () => prose(3)),
        '',
        { rotate: (round % 3) + 1 },
      ),
    );
    pages.push(
      page(
        'cropped',
        paragraphs(9, () => prose(3)),
        'padding:150px 130px',
        { crop: [0.1, 0.08, 0.93, 0.9], rotate: round === 3 ? 1 : 0 },
      ),
    );
    pages.push(
      page(
        'arabic',
        `<h1>${arabic(1)}</h1>${paragraphs(8, () => arabic(3))}`,
        'direction:rtl;font-family:Amiri,DejaVu Sans;font-size:17px',
      ),
    );
    pages.push(
      page(
        'small print',
        paragraphs(16, () => prose(6)),
        'font-size:6.5px;column-count:3;text-align:justify',
      ),
    );
    pages.push(
      page(
        'wrapped',
        paragraphs(9, () => hyphenated(prose(3))),
        'width:330px;text-align:justify;font-family:Liberation Serif',
      ),
    );
    pages.push(page('table', `<h1>${name()}</h1>${paragraphs(2, () => prose(1))}${table(22)}`));
    pages.push(
      page(
        'repeated',
        `${paragraphs(2, () => prose(2))}<p>Payment due <b data-repeated>within 30 days</b></p>${table(6)}<p>Warranty claims <b data-repeated>within 30 days</b></p>
        <p>Deposit <b data-repeated>EUR ${'1,250.00'}</b></p>${paragraphs(2, () => prose(2))}<p>Final instalment <b data-repeated>EUR ${'1,250.00'}</b></p>`,
      ),
    );
    pages.push(
      page(
        'odd type',
        `<p class="drop">${prose(3)}</p><p style="letter-spacing:2px">${prose(2)}</p><p style="font-family:Liberation Serif;font-variant-ligatures:common-ligatures">${prose(3)}</p>
        <p>${letter(prose(2))}</p><p>${prose(1)} <sup>${count(2, 9)}</sup> ${prose(1)}</p><div class="side">${prose(1)}</div><p style="text-transform:uppercase">${prose(1)}</p>`,
      ),
    );
    pages.push(page('line by line', acrossColumns()));
  }
  return pages;
}

export const STYLE = `
  @page { size: ${PAGE.width}px ${PAGE.height}px; margin: 0 }
  html, body { margin: 0; padding: 0 }
  body { font: 12px/1.45 "DejaVu Sans"; width: ${PAGE.width}px }
  section { position: relative; box-sizing: border-box; width: ${PAGE.width}px; height: ${PAGE.height}px; padding: 60px 60px; overflow: hidden; break-after: page; break-inside: avoid }
  p { margin: 0 0 9px } h1 { font-size: 18px; margin: 0 0 12px }
  .columns { column-count: 2; column-gap: 30px; height: 900px; column-fill: auto }
  table { width: 100%; border-collapse: collapse; margin: 8px 0 } td, th { padding: 3px 6px; text-align: left; border-bottom: 1px solid #ccc }
  td:nth-child(n+3), th:nth-child(n+3) { text-align: right }
  .drop::first-letter { font-size: 44px; float: left; line-height: 1; padding-right: 4px }
  .side { position: absolute; right: 8px; top: 300px; writing-mode: vertical-rl; height: 700px }
  .at { position: absolute; white-space: pre }
`;
