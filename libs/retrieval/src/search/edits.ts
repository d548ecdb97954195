const ALPHABETS: readonly [RegExp, string][] = [
  [/\p{Script=Arabic}/u, 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي'],
  [/\p{Script=Cyrillic}/u, 'абвгдежзийклмнопрстуфхцчшщъыьэюяіїє'],
  [/\p{Script=Greek}/u, 'αβγδεζηθικλμνξοπρσςτυφχψω'],
  [/\p{Script=Latin}/u, 'abcdefghijklmnopqrstuvwxyz'],
];

/**
 * The words that differ from a folded one by a letter: another one, one too many or too few, or two neighbours in each
 * other's place. Some 55 for each letter of the word; none in a script whose letters are not known.
 */
export function oneLetterOff(word: string): string[] {
  const letters = ALPHABETS.find(([script]) => script.test(word))?.[1];
  if (letters === undefined) return [];
  const others = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after.length > 0) others.add(before + after.slice(1));
    if (after.length > 1) others.add(before + after[1]! + after[0]! + after.slice(2));
    for (const letter of letters) {
      others.add(before + letter + after);
      if (after.length > 0) others.add(before + letter + after.slice(1));
    }
  }
  others.delete(word);
  return [...others];
}
