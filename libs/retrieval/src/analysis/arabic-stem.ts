const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'ال', 'لل'];
const SUFFIXES = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'هم', 'ه', 'ي'];

/**
 * The light10 stemmer of Larkey, Ballesteros and Connell (2007), for folded words: it takes off conjunction, article
 * and the commonest endings and leaves the root alone, which ranks better than reducing words to roots.
 */
export function stemArabic(word: string): string {
  let stem = word;
  if (stem.startsWith('و') && stem.length > 3) stem = stem.slice(1);
  const article = ARTICLES.find((candidate) => stem.startsWith(candidate) && stem.length >= candidate.length + 2);
  if (article) stem = stem.slice(article.length);
  for (const suffix of SUFFIXES) {
    if (stem.endsWith(suffix) && stem.length >= suffix.length + 2) stem = stem.slice(0, -suffix.length);
  }
  return stem;
}
