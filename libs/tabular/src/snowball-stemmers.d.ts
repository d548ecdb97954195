declare module 'snowball-stemmers' {
  export type SnowballLanguage =
    | 'english'
    | 'german'
    | 'french'
    | 'spanish'
    | 'italian'
    | 'portuguese'
    | 'dutch'
    | 'catalan'
    | 'romanian'
    | 'swedish'
    | 'danish'
    | 'norwegian'
    | 'finnish'
    | 'hungarian'
    | 'czech'
    | 'turkish'
    | 'russian';
  export function newStemmer(language: SnowballLanguage): { stem(word: string): string };
}
