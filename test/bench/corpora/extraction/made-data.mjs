// What documents of trade and forms say, made from a seed: names, numbers, sums that add up, in the habits of one language.
import { seededRandom } from '../../support/figures.mjs';

function randomFrom(seed) {
  const next = seededRandom(seed);
  const int = (from, to) => from + Math.floor(next() * (to - from + 1));
  return { next, int, pick: (list) => list[int(0, list.length - 1)] };
}

const WORDS = {
  en: {
    companies: [
      'Northgate Supplies Ltd',
      'Bluefin Logistics LLC',
      'Harper & Sons',
      'Oakridge Print House',
      'Meridian Office Systems',
      'Castle Rock Foods',
    ],
    people: ['Grace Hopper', 'Samuel Okafor', 'Emily Brontesson', 'Daniel O’Neill', 'Priya Raman'],
    cities: ['Bristol', 'Leeds', 'Austin', 'Dublin'],
    streets: ['14 Mill Lane', '220 Harbour Road', '7 Kingsway'],
    items: [
      'Copy paper A4 80 g, box of 5 reams',
      'Desk lamp',
      'Delivery of pallets',
      'Ergonomic chair with armrests and headrest, black',
      'USB-C cable 2 m',
      'Consulting, senior',
      'Filter cartridge 12-pack',
    ],
    methods: ['Credit card', 'Cash', 'Bank transfer'],
    terms: ['Net 30 days', '14 days 2 % discount', 'Due on receipt'],
    nations: ['Irish', 'British', 'Canadian'],
  },
  de: {
    companies: [
      'Müller Bürotechnik GmbH',
      'Hansen Logistik AG',
      'Weber & Söhne KG',
      'Stadtwerke Altheim',
      'Schreinerei Vogt',
    ],
    people: ['Jürgen Krause', 'Anna-Lena Groß', 'Mehmet Yıldız', 'Sabine von Thal'],
    cities: ['Köln', 'Nürnberg', 'Kiel'],
    streets: ['Lindenstraße 4', 'Am Markt 12', 'Hauptstr. 101'],
    items: [
      'Kopierpapier A4, 5 Pakete',
      'Schreibtischlampe',
      'Beratung vor Ort',
      'Bürostuhl mit Armlehnen und Kopfstütze, schwarz',
      'Netzwerkkabel 2 m',
      'Wartung der Anlage',
    ],
    methods: ['EC-Karte', 'Bar', 'Überweisung'],
    terms: ['30 Tage netto', '14 Tage 2 % Skonto'],
    nations: ['deutsch', 'österreichisch'],
  },
  ar: {
    companies: ['شركة النور للتجارة', 'مؤسسة الخليج للتوريدات', 'شركة الأفق الحديثة', 'مجموعة الريادة'],
    people: ['أحمد الخطيب', 'سارة المنصوري', 'خالد العتيبي', 'ليلى حداد'],
    cities: ['الرياض', 'دبي', 'عمّان'],
    streets: ['شارع الملك فهد', 'طريق الشيخ زايد'],
    items: ['ورق طباعة', 'كرسي مكتب', 'خدمات استشارية', 'حبر طابعة', 'شاشة عرض'],
    methods: ['نقدا', 'بطاقة ائتمان'],
    terms: ['خلال 30 يوما'],
    nations: ['سعودي', 'أردني'],
  },
};
const IBANS = [
  'DE89370400440532013000',
  'GB29NWBK60161331926819',
  'FR1420041010050500013M02606',
  'SA0380000000608010167519',
  'AE070331234567890123456',
  'AT611904300234573201',
];

const cents = (value) => Math.round(value * 100) / 100;

/** @param language en, de or ar */
export function makeData(seed, language, { items = 4, rate } = {}) {
  const random = randomFrom(seed);
  const words = WORDS[language];
  const vatRate = rate ?? { en: 20, de: 19, ar: 15 }[language];
  const lines = Array.from({ length: items }, () => {
    const quantity = random.int(1, 24);
    const price = cents(random.pick([random.int(3, 90) + 0.5, random.int(100, 2400), random.int(1000, 9999) + 0.99]));
    return { description: random.pick(words.items), quantity, price, amount: cents(quantity * price) };
  });
  const net = cents(lines.reduce((sum, line) => sum + line.amount, 0));
  const tax = cents((net * vatRate) / 100);
  const day = new Date(Date.UTC(2025, random.int(0, 11), random.int(1, 28)));
  const later = (days) => new Date(day.getTime() + days * 86_400_000);
  const vendor = random.pick(words.companies);
  return {
    random,
    language,
    number: random.pick([
      `INV-${random.int(2024, 2026)}-${random.int(1000, 9999)}`,
      `${random.int(100_000, 999_999)}`,
      `R${random.int(10, 99)}/${random.int(1000, 9999)}`,
    ]),
    order: random.pick([`PO-${random.int(10_000, 99_999)}`, `45${random.int(10_000_000, 99_999_999)}`]),
    receipt: `${random.int(1000, 9999)}-${random.int(10, 99)}`,
    date: day,
    due: later(random.pick([14, 30, 45])),
    delivery: later(random.int(3, 9)),
    vendor,
    customer: random.pick(words.companies.filter((one) => one !== vendor)),
    person: random.pick(words.people),
    city: random.pick(words.cities),
    street: random.pick(words.streets),
    method: random.pick(words.methods),
    terms: random.pick(words.terms),
    nation: random.pick(words.nations),
    vatId: {
      en: `GB${random.int(100_000_000, 999_999_999)}`,
      de: `DE${random.int(100_000_000, 999_999_999)}`,
      ar: `3${random.int(10_000_000, 99_999_999)}00003`,
    }[language],
    iban: random.pick(IBANS),
    email: `billing${random.int(1, 99)}@example.com`,
    phone: {
      en: `+44 20 7946 0${random.int(100, 999)}`,
      de: `+49 221 ${random.int(100_000, 999_999)}`,
      ar: `+966 11 ${random.int(1_000_000, 9_999_999)}`,
    }[language],
    id: `${random.int(1_000_000_000, 2_147_483_647)}`,
    born: new Date(Date.UTC(random.int(1950, 2005), random.int(0, 11), random.int(1, 28))),
    lines,
    net,
    tax,
    total: cents(net + tax),
    vatRate,
  };
}

export const iso = (date) => date.toISOString().slice(0, 10);
const two = (number) => String(number).padStart(2, '0');
const EASTERN = '٠١٢٣٤٥٦٧٨٩';
export const eastern = (text) => text.replace(/\d/g, (digit) => EASTERN[digit]);

/** How one writer writes: `money` of a locale, dates of a form. */
export const numbers = {
  en: (value) => value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  de: (value) => value.toLocaleString('de-DE', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  ch: (value) => value.toLocaleString('de-CH', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  fr: (value) => value.toLocaleString('fr-FR', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  plain: (value) => value.toFixed(2),
  ar: (value) =>
    eastern(
      value
        .toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
        .replaceAll(',', '٬')
        .replace('.', '٫'),
    ),
};
export const dates = {
  iso,
  dots: (date) => `${two(date.getUTCDate())}.${two(date.getUTCMonth() + 1)}.${date.getUTCFullYear()}`,
  slashes: (date) => `${two(date.getUTCDate())}/${two(date.getUTCMonth() + 1)}/${date.getUTCFullYear()}`,
  us: (date) => `${two(date.getUTCMonth() + 1)}/${two(date.getUTCDate())}/${date.getUTCFullYear()}`,
  long: (date) => date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
  usLong: (date) =>
    date.toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
  german: (date) =>
    date.toLocaleDateString('de-DE', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
  arabic: (date) =>
    date.toLocaleDateString('ar-EG-u-nu-latn', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
  levant: (date) =>
    date.toLocaleDateString('ar-LB-u-nu-latn', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
  eastern: (date) => eastern(dates.slashes(date)),
};

/** Strokes are read in one order where some date of the page leaves no other: else a blank is the right answer. */
export const strokesAreClear = (...shown) => shown.some((date) => date.getUTCDate() > 12);
