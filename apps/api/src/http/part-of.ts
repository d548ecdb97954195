import type { Part } from '@app/entitlements';
import { type ExecutionContext, SetMetadata } from '@nestjs/common';

export const PART_OF = 'atrium:part-of';

/**
 * What the routes of a controller, or the channel of a gateway, belong to: a feature that plans sell, or `core`. A route may
 * say another one (`@Route({ feature })`). Who lacks it can still read, export and delete (`@Route({ open })`).
 */
export const PartOf = (part: Part): ClassDecorator => SetMetadata(PART_OF, part);

/** Null where nothing is said: test/e2e/openapi.spec.ts names those. */
export function partOf(controller: object, route: { feature?: Part } | undefined): Part | null {
  return route?.feature ?? (Reflect.getMetadata(PART_OF, controller) as Part | undefined) ?? null;
}

/** What the methods of HTTP read or delete with: `OPTIONS` and `HEAD` ask for nothing either. */
const OPEN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** Whether the route stays open to those whose plan lacks its feature, or has expired. Staff keep the deployment going. */
export function isOpenRoute(method: string, route: { open?: boolean; staffOnly?: true } | undefined): boolean {
  return route?.open ?? (route?.staffOnly === true || OPEN_METHODS.has(method));
}

export function partOfContext(context: ExecutionContext, route: { feature?: Part } | undefined): Part {
  return partOf(context.getClass(), route) ?? 'core';
}
