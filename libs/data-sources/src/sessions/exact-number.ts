/** A number when JavaScript has exactly this one, else its digits; null for what is none. */
export function exactNumber(text: string): number | string | null {
  if (!/^[-+]?(\d|\.\d)/.test(text)) return null;
  if (/[eE]/.test(text)) return Number.isFinite(Number(text)) ? Number(text) : text;
  const digits = text.replace(/[-+.]/g, '').replace(/^0+/, '');
  return digits.length <= 15 || (Number.isSafeInteger(Number(text)) && !text.includes('.')) ? Number(text) : text;
}
