/** Share of NULs on the other side that is still text: letters whose code ends in 00. */
const OTHER_SIDE = 0.125;
/** Share of characters that no text holds. */
const ODD = 0.02;
/** Bytes that would be letters or blanks of ASCII: of ideographs and kana never so many. */
const READABLE = 0.86;
/** Of a text with hardly any NUL, the share that must be of one script. */
const MOSTLY = 0.9;
const ALPHABETS = [
  /[\p{Script=Cyrillic}\p{ASCII}]/gu,
  /[\p{Script=Thai}\p{ASCII}]/gu,
  /[\p{Script=Arabic}\p{ASCII}]/gu,
  /[\p{Script=Devanagari}\p{ASCII}]/gu,
  /[\p{Script=Hebrew}\p{ASCII}]/gu,
  /[\p{Script=Greek}\p{ASCII}]/gu,
];
const EAST_ASIAN_LETTERS = /[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e\p{ASCII}]/gu;

/**
 * UTF-16 without a byte order mark, by its beginning: blanks, digits and line ends have a NUL on the same side
 * everywhere. Where hardly any stands (East Asia, Thai) the other bytes are control characters, and the text must read
 * as one of such a script. Null for anything else.
 */
export function detectUtf16(sample: Buffer): 'utf-16le' | 'utf-16be' | null {
  const pairs = Math.floor(sample.length / 2);
  if (pairs < 2) return null;
  let first = 0;
  let second = 0;
  let controls = 0;
  let readable = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    const one = sample[at] ?? 0;
    const other = sample[at + 1] ?? 0;
    if (one === 0 && other === 0) return null;
    // A NUL beside anything but ASCII is half of some rare letter.
    if (one === 0 && isAscii(other)) first += 1;
    if (other === 0 && isAscii(one)) second += 1;
    if (isControl(one) || isControl(other)) controls += 1;
    readable += Number(isReadable(one)) + Number(isReadable(other));
  }
  if (first + second > pairs / 2) {
    if (Math.min(first, second) > Math.max(first, second) * OTHER_SIDE) return null;
    const label = second > first ? 'utf-16le' : 'utf-16be';
    return isText(decode(sample, pairs, label)) ? label : null;
  }
  if (first + second + controls === 0) return null;
  return (
    (['utf-16be', 'utf-16le'] as const).find((label) => isLikely(decode(sample, pairs, label), readable / pairs / 2)) ??
    null
  );
}

function isAscii(byte: number): boolean {
  return byte >= 0x20 ? byte < 0x80 : byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isReadable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || (byte >= 9 && byte <= 13);
}

function isControl(byte: number): boolean {
  return byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27;
}

function decode(sample: Buffer, pairs: number, label: string): string {
  return new TextDecoder(label).decode(sample.subarray(0, pairs * 2));
}

function isText(text: string): boolean {
  const odd = text.match(/[\p{Co}\p{Cn}\ufffd]|(?![\t\n\r\f\v])\p{Cc}/gu)?.length ?? 0;
  return odd <= Math.max(1, text.length * ODD);
}

/**
 * East Asian, or of one alphabet. Two letters of ASCII make one ideograph, so what reads well as ASCII is none.
 * @param readable share of the bytes that are ASCII one can read
 */
function isLikely(text: string, readable: number): boolean {
  if (!isText(text)) return false;
  const eastAsian = readable > READABLE ? 0 : (text.match(EAST_ASIAN_LETTERS)?.length ?? 0);
  return (
    eastAsian >= text.length * MOSTLY ||
    ALPHABETS.some((letters) => (text.match(letters)?.length ?? 0) >= text.length * MOSTLY)
  );
}
