import { PageAssets } from './page-assets.js';

/** Where the parts of a page are, on the origin of pages; relative to it, since it may have a name per artifact. */
export interface PageAddresses {
  holder: string;
  charts: string;
}

export const HOLDER_PATH = '/assets/holder/';
export const CHARTS_PATH = '/assets/charts/';

export function pageAddresses(): PageAddresses {
  return {
    holder: `${HOLDER_PATH}?v=${PageAssets.holder.hash}`,
    charts: `${CHARTS_PATH}?v=${PageAssets.charts.hash}`,
  };
}

/** The path of a page for who has a token. */
export const renderPath = (artifactId: string): string => `/artifacts/${artifactId}/render/`;
