/** How money is written that has neither a sign of its own nor stands as an ISO code; folded to lower case. */
const WORDS = new Set(
  (
    'kr kr. zł zl kč kc ft lei leu лв лв. руб руб. р. грн fr fr. sfr sfr. rs rs. rm tl ksh euro euros eur. dollar dollars pound ' +
    'pounds sterling franken francs franc us-dollar dirham dirhams dinar dinars riyal riyals rial rials 元 円 圆 원 บาท ' +
    'د.إ د.إ. ر.س ر.س. ج.م ج.م. د.م. د.م د.ك د.ك. د.ب د.ب. ر.ق ر.ق. ر.ع ر.ع. د.أ د.أ. د.ا د.ع د.ع. ل.ل ل.ل. ل.س ل.س. د.ج د.ج. د.ت ' +
    'د.ت. د.ل د.ل. ر.ي ر.ي. ج.س. ريال ریال ريالا ريالاً درهم درهما درهماً دينار دينارا ديناراً جنيه جنيها جنيهاً دولار يورو ليرة تومان ' +
    '€uro'
  ).split(' '),
);
/** Of nations, behind the name of what several of them have: "ريال سعودي", "US dollars". */
const NATIONS = new Set(
  (
    'us u.s. uae saudi kuwaiti bahraini omani qatari jordanian swiss american canadian australian سعودي سعوديا إماراتي اماراتي ' +
    'كويتي بحريني عماني عُماني قطري أردني مصري مغربي تونسي جزائري عراقي أمريكي لبناني سوري'
  ).split(' '),
);
const CODES = new Set(Intl.supportedValuesOf('currency'));
const THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));
const ARABIC_THOUSANDTHS = /^(?:د\.ك|د\.ب|ر\.ع|د\.أ|د\.ا|د\.ع|د\.ت|د\.ل)\.?$|^دينار/u;

/** Whether a text names a currency: `€`, `US$`, `EUR`, `kr.`, `ريال سعودي`. */
export function isCurrency(unit: string): boolean {
  const text = unit.trim();
  if (/^[A-Za-z]{0,3}\.?\p{Sc}$|^\p{Sc} ?[A-Za-z]{0,3}$/u.test(text)) return true;
  if (CODES.has(text) || WORDS.has(text.toLowerCase())) return true;
  const words = text.toLowerCase().split(' ');
  return words.length === 2 && words.some((word) => WORDS.has(word)) && words.some((word) => NATIONS.has(word));
}

/** Currencies of which a thousandth is counted too: `1.234` may be a sum with its decimals. */
export function hasThousandths(unit: string): boolean {
  const text = unit.trim();
  return THOUSANDTHS.has(text) || ARABIC_THOUSANDTHS.test(text) || /\bdinars?\b/i.test(text);
}
