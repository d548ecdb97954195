export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;

export interface PageRequest {
  /** From 1. */
  page: number;
  /** 1 to MAX_PAGE_SIZE. */
  pageSize: number;
}

export interface Page<T> {
  /** Of all pages together. */
  count: number;
  items: T[];
}
