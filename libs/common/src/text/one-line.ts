/** Names stand in lists, mails and logs: one line, that reads as it is written. */
export const ONE_LINE = {
  form: 'NFC',
  pattern: /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u,
  patternMessage: 'A name is one line, without control characters.',
} as const;

/** What breaks a line becomes a blank, marks that turn the direction of text go. */
export function toOneLine(text: string): string {
  return text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .normalize('NFC');
}
