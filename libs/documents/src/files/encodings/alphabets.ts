/** Small letters beyond ASCII of the languages that are written in the Latin alphabet. */
const ALPHABETS = [
  'äöüß',
  'àâçèéêëîïôùûüœæÿ',
  'áéíñóúüªº',
  'áâãàçéêíóôõú',
  'àèéìíîòóùú',
  'åäöæøéü',
  'áéíóúýþæöð',
  'éëïóöüèáàêç',
  'àçèéíïòóúü',
  'ąćęłńóśźż',
  'áčďéěíňóřšťúůýž',
  'áäčďéíĺľňóôŕšťúýž',
  'áéíóöőúüű',
  'ăâîșşţț',
  'čćđšž',
  'çğıöşüâîû',
  'ąčęėįšųūž',
  'āčēģīķļņšūž',
  'äöõüšž',
  'ëç',
  'ħġċż',
].map((letters) => new Set(letters));

/** Share of the letters beyond ASCII that one language has, of the language that has most of them; 1 without any. */
export function sharedAlphabet(text: string): number {
  const letters =
    text
      .toLowerCase()
      .match(/(?!\u0307)[^\p{ASCII}]/gu)
      ?.filter((letter) => /\p{L}/u.test(letter)) ?? [];
  if (letters.length === 0) return 1;
  const counts = ALPHABETS.map((alphabet) => letters.filter((letter) => alphabet.has(letter)).length);
  return Math.max(...counts) / letters.length;
}
