/** Lead bytes of the characters of everyday texts, in the encodings that write a character in two bytes. */
const EVERYDAY: Readonly<Record<string, (lead: number) => boolean>> = {
  // Kana, then the ideographs of school.
  shift_jis: (lead) => lead === 0x82 || lead === 0x83 || (lead >= 0x88 && lead <= 0x97),
  'euc-jp': (lead) => lead === 0xa4 || lead === 0xa5 || (lead >= 0xb0 && lead <= 0xcf),
  gb18030: (lead) => lead >= 0xb0 && lead <= 0xd7,
  big5: (lead) => lead >= 0xa4 && lead <= 0xc6,
  'euc-kr': (lead) => lead >= 0xb0 && lead <= 0xc8,
};
/** Punctuation and full-width letters: neither for an encoding nor against it. */
const NEUTRAL: Readonly<Record<string, (lead: number) => boolean>> = {
  shift_jis: (lead) => lead === 0x81,
  'euc-jp': (lead) => lead >= 0xa1 && lead <= 0xa3,
  gb18030: (lead) => lead >= 0xa1 && lead <= 0xa3,
  big5: (lead) => lead >= 0xa1 && lead <= 0xa3,
  'euc-kr': (lead) => lead >= 0xa1 && lead <= 0xa3,
};
/** So few pairs may be anything, for instance two accents side by side. */
const MIN_PAIRS = 3;
/**
 * Ideographs of GB 2312 stand in the order of their sounds: of so many, some begin with one behind those bytes that are
 * also the lead bytes of Hangul.
 */
const MIN_CHINESE_PAIRS = 8;
const LAST_HANGUL_LEAD = 0xc8;

/** From -1 (no such text) to 1 (everyday words only), by the bytes themselves. */
export function plausiblePairs(bytes: Buffer, label: string): number {
  let everyday = 0;
  let others = 0;
  let last = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    if (!isTrail(trail, label) || lead === 0x80 || lead === 0xff) {
      others += label === 'shift_jis' && lead >= 0xa1 && lead <= 0xdf ? 1 : 3;
      continue;
    }
    at += 1;
    if (lead <= 0xd7) last = Math.max(last, lead);
    if (EVERYDAY[label]?.(lead)) everyday += 1;
    else if (!NEUTRAL[label]?.(lead)) others += 1;
  }
  if (everyday < MIN_PAIRS) return -1;
  const share = (everyday - others) / (everyday + others);
  if (label === 'gb18030' && everyday >= MIN_CHINESE_PAIRS && last <= LAST_HANGUL_LEAD) return share - 0.5;
  // Kana and Hangul stand together; a text that is all ideographs is Chinese.
  return share - (/^(?:shift_jis|euc-jp)$/.test(label) && !holdsKana(bytes, label) ? 0.5 : 0);
}

function isTrail(trail: number, label: string): boolean {
  if (label === 'shift_jis') return trail >= 0x40 && trail <= 0xfc && trail !== 0x7f;
  if (label === 'big5') return (trail >= 0x40 && trail <= 0x7e) || (trail >= 0xa1 && trail <= 0xfe);
  if (label === 'gb18030') return trail >= 0x30 && trail <= 0xfe && trail !== 0x7f;
  return trail >= 0xa1 && trail <= 0xfe;
}

function holdsKana(bytes: Buffer, label: string): boolean {
  return /[\u3041-\u30ff]/.test(new TextDecoder(label).decode(bytes));
}
