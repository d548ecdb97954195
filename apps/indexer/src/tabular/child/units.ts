/** How currencies are written that have neither a sign of Unicode's currency signs nor stand as an ISO code. */
const CURRENCY_WORDS = new Set(
  (
    'kr kr. Kr Kr. zł Kč Ft lei Lei лв лв. руб руб. р. ден грн Fr Fr. SFr. sFr. Rs Rs. RM Rp R TL Bs Bs. S/ S/. KSh Sh ' +
    'Rbl euro euros Euro Dollar dollars 元 円 圆 원 บาท ' +
    'د.إ د.إ. ر.س ر.س. ج.م ج.م. د.م. د.ك د.ك. د.ب. ر.ق. ر.ع. د.أ. د.ع. ل.ل. ل.س. د.ج. د.ت. د.ل. ر.ي. ج.س. ' +
    'ريال ریال درهم دينار جنيه دولار يورو ليرة تومان'
  ).split(' '),
);
const SHARES = new Set(['%', '‰']);
const MEASURES = new Set(
  (
    'kg g mg t lb lbs oz km m cm mm mi ft in l L ml cl h hrs min s ms d kWh MWh GWh Wh W kW MW V A GB MB TB kB ha ' +
    'm² m³ km² °C °F pcs pts Stk Stück km/h mph كم كغ كجم'
  ).split(' '),
);
const CODES = new Set(Intl.supportedValuesOf('currency'));

export type UnitKind = 'currency' | 'share' | 'measure';

/** What kind of unit a text is; null for any other text. */
export function unitKind(unit: string): UnitKind | null {
  if (SHARES.has(unit)) return 'share';
  if (MEASURES.has(unit)) return 'measure';
  if (CODES.has(unit) || CURRENCY_WORDS.has(unit)) return 'currency';
  // "$", "US$", "R$", "C$".
  return /^[A-Za-z]{0,3}\p{Sc}$|^\p{Sc}[A-Z]{0,3}$/u.test(unit) ? 'currency' : null;
}

/** Of which a thousandth is counted too: "1.234" may be a sum with its decimals. */
export function hasThousandths(currency: string): boolean {
  if (/^(د\.ك|د\.ب|ر\.ع|د\.أ|د\.ع|د\.ت|د\.ل)\.?$|^دينار$/.test(currency)) return true;
  if (!CODES.has(currency)) return false;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return maximumFractionDigits > 2;
}
