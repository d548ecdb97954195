/** Arabic letters as names are spelt with them; vowels, which are left out or guessed, are none. */
const LATIN: Readonly<Record<string, string>> = {
  ب: 'b',
  ت: 't',
  ث: 't',
  ج: 'j',
  ح: 'h',
  خ: 'k',
  د: 'd',
  ذ: 'd',
  ر: 'r',
  ز: 's',
  س: 's',
  ش: 's',
  ص: 's',
  ض: 'd',
  ط: 't',
  ظ: 'd',
  غ: 'j',
  ف: 'f',
  ق: 'k',
  ك: 'k',
  ل: 'l',
  م: 'm',
  ن: 'n',
  ه: 'h',
};

/** By which the name of a product is known again in the other script: جيرا and Jira, سلاك and Slack. */
export function consonantsOf(word: string): string {
  const latin = [...word.toLowerCase()].map((letter) => LATIN[letter] ?? (/[a-z]/.test(letter) ? letter : '')).join('');
  return latin
    .replaceAll('ph', 'f')
    .replaceAll(/ck|[cqx]/g, 'k')
    .replaceAll('g', 'j')
    .replaceAll('v', 'f')
    .replaceAll('p', 'b')
    .replaceAll('z', 's')
    .replaceAll(/[aeiouyw]/g, '')
    .replaceAll(/(.)\1+/g, '$1');
}
