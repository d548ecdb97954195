import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, type Page, type PageRequest } from '@app/common';
import type { Type } from '@nestjs/common';
import type { Request } from 'express';
import { publicAddress } from './public-address.js';
import { IntegerField, ListField, StringField } from './fields.js';

/** The query of every paged list (docs/contract/conventions.md#lists); extend it with filters. */
export class PageQuery {
  @IntegerField({ min: 1, default: 1 })
  page: number;

  @IntegerField({ min: 1, max: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE })
  page_size: number;
}

export function toPageRequest(query: PageQuery): PageRequest {
  return { page: query.page, pageSize: query.page_size };
}

export interface PageResponse<T> {
  count: number;
  next: string | null;
  previous: string | null;
  results: T[];
}

/** The documented shape of a page of `item`; make it once per list: `class ThingPage extends PageOf(ThingResponse) {}`. */
export function PageOf<T extends object>(item: Type<T>): Type<PageResponse<T>> {
  class PageBody implements PageResponse<T> {
    @IntegerField({ description: 'Of all pages together.' })
    count: number;

    @StringField({ nullable: true, description: 'Address of the next page.' })
    next: string | null;

    @StringField({ nullable: true, description: 'Address of the page before.' })
    previous: string | null;

    @ListField(() => item)
    results: T[];
  }
  return PageBody;
}

/** `next` and `previous` keep the filters of the request's own query. */
export function toPageResponse<T>(page: Page<T>, at: PageRequest, request: Request): PageResponse<T> {
  const last = Math.max(1, Math.ceil(page.count / at.pageSize));
  const link = (number: number) => {
    const url = new URL(`${publicAddress(request)}${request.originalUrl}`);
    url.searchParams.set('page', String(number));
    return url.toString();
  };
  return {
    count: page.count,
    next: at.page < last ? link(at.page + 1) : null,
    previous: at.page > 1 ? link(Math.min(at.page - 1, last)) : null,
    results: page.items,
  };
}
