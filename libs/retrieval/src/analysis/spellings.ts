/** British and American spellings of the same words, either way: pairs of what stands in a word, and where. */
const PAIRS: readonly [british: RegExp, american: string, RegExp, british: string][] = [
  [
    /(?<=[a-z]{2})our(?=$|s$|ed$|ing$|al$|ally$|able$|ful$|ite$|less$)/,
    'or',
    /(?<=[a-z]{2})or(?=$|s$|ed$|ing$|al$|ally$|able$|ful$|ite$|less$)/,
    'our',
  ],
  [
    /(?<=[a-z]{2}[iy])s(?=e$|es$|ed$|ing$|er$|ers$|able$|ations?$)/,
    'z',
    /(?<=[a-z]{2}[iy])z(?=e$|es$|ed$|ing$|er$|ers$|able$|ations?$)/,
    's',
  ],
  [
    /(?<=[aeiou][a-z]*[^aeiou][aeiou])ll(?=ed$|ing$|er$|ers$)/,
    'l',
    /(?<=[aeiou][a-z]*[^aeiou][aeiou])l(?=ed$|ing$|er$|ers$)/,
    'll',
  ],
  [
    /(?<=^(?:cent|fib|lit|theat|calib|spect|met|nit)|(?:met|lit|cent))re(?=$|s$|d$)/,
    'er',
    /(?<=^(?:cent|fib|lit|theat|calib|spect|met|nit)|(?:met|lit|cent))er(?=$|s$|ed$)/,
    're',
  ],
  [/(?<=[a-z]{2})ogue(?=s?$)/, 'og', /(?<=[a-z]{3})og(?=s?$)/, 'ogue'],
  [/(?<=def|off|lic|pret)ence/, 'ense', /(?<=def|off|lic|pret)ense/, 'ence'],
  [
    /ae(?=m|t[ih]ol|d[io]|c|st[hi]|on)|(?<=p)ae(?=d)/,
    'e',
    /(?<=^h|an|leuk|isch|gluc|glyc|ur|tox|bacter|hypox|septic|lip)e(?=m[aio])|(?<=^p|hop|lop)e(?=d[io])|(?<=^gyn)e(?=c)|(?<=^an)e(?=sth)|^e(?=tiol)/,
    'ae',
  ],
  [
    /oe(?=d[ei]m|s[ot]|a$|al$|ic$|tus|tal)/,
    'e',
    /(?<=^)e(?=d[ei]m|sophag|str[ao])|(?<=^f)e(?=tus|tal)|(?<=rh)e(?=a$|al$|ic$)/,
    'oe',
  ],
  [/sulph/, 'sulf', /sulf/, 'sulph'],
  [/(?<=^alumin)ium/, 'um', /(?<=^alumin)um/, 'ium'],
  [/(?<=^program)me(?=s?$)/, '', /(?<=^program)(?=s?$)/, 'me'],
  [/^grey/, 'gray', /^gray/, 'grey'],
];

const SYMBOLS: Record<string, string> = {
  alpha: 'α',
  beta: 'β',
  gamma: 'γ',
  delta: 'δ',
  epsilon: 'ε',
  zeta: 'ζ',
  eta: 'η',
  theta: 'θ',
};
Object.assign(SYMBOLS, {
  iota: 'ι',
  kappa: 'κ',
  lambda: 'λ',
  mu: 'μ',
  nu: 'ν',
  xi: 'ξ',
  pi: 'π',
  rho: 'ρ',
  sigma: 'σ',
  tau: 'τ',
});
Object.assign(SYMBOLS, { phi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω' });
const NAMES = new Map(Object.entries(SYMBOLS).map(([name, symbol]) => [symbol, name]));

/**
 * How an English word is written elsewhere: `tumour` and `tumor`, `organise` and `organize`, `α` and `alpha`. What is not
 * a word there is found by nobody.
 * @param word folded
 */
export function otherSpellings(word: string): string[] {
  const symbol = SYMBOLS[word] ?? NAMES.get(word);
  if (symbol !== undefined) return [symbol];
  if (!/^[a-z]{4,40}$/.test(word)) return [];
  const others = PAIRS.flatMap(([british, american, other, written]) => [
    word.replace(british, american),
    word.replace(other, written),
  ]);
  return [...new Set(others)].filter((other) => other !== word);
}
