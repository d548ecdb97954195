import { type ServedDocument, versionOf } from './served-document.js';

/** Where the parts of a page are, on the origin of pages; relative to it, since it may have a name per artifact. */
export interface PageAddresses {
  holder: string;
  charts: string;
}

export const HOLDER_PATH = '/assets/holder/';
export const CHARTS_PATH = '/assets/charts/';

/** The addresses change with what is there, which browsers keep. */
export function pageAddresses(holder: ServedDocument, charts: ServedDocument): PageAddresses {
  return { holder: `${HOLDER_PATH}?v=${versionOf(holder)}`, charts: `${CHARTS_PATH}?v=${versionOf(charts)}` };
}

/** The path of a page for who has a token. */
export const renderPath = (artifactId: string): string => `/artifacts/${artifactId}/render/`;
