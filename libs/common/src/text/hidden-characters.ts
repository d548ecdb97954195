/**
 * Characters that are not seen, or that turn what stands around them: controls, separators of lines, lone surrogates,
 * marks of direction, fillers. "invoice\u202Efdp.exe" would be shown as "invoiceexe.pdf". The joiners U+200C and U+200D
 * and the two variation selectors of emoji stay: Persian, Indic scripts and emoji need them.
 */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u2800\ufff9-\ufffb\ufffe\uffff]|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
const SHOWN = /[^\p{Z}\p{Default_Ignorable_Code_Point}]/u;

export function withoutHiddenCharacters(text: string): string {
  return text.replace(HIDDEN, '');
}

export function hasHiddenCharacters(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** Whether anything of it can be seen: joiners and blanks alone cannot. */
export function isVisible(text: string): boolean {
  return SHOWN.test(text);
}
