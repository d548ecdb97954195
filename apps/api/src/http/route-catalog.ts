import { PUBLIC_ROUTE } from '@app/auth';
import type { Part } from '@app/entitlements';
import { Injectable, RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { pathToRegexp } from 'path-to-regexp';
import { isOpenRoute, partOf } from './part-of.js';
import { ROUTE, type RouteOptions } from './route.js';

export type DeclaredRoute = RouteOptions & { status: number };

export interface CatalogedRoute {
  /** Upper case. */
  method: string;
  /** As declared, with its trailing slash or without: `/documents/:uid/`. */
  path: string;
  pattern: RegExp;
  isPublic: boolean;
  /** Null while nobody has said it. */
  part: Part | null;
  /** Whether it stays open without the plan for it. */
  isOpen: boolean;
  route: DeclaredRoute;
  controller: Type;
  handler: string;
}

function joined(prefix: string, path: string): string {
  const trimmed = [prefix, path].map((part) => part.replace(/^\/+|\/+$/g, '')).filter((part) => part !== '');
  const slash = path.endsWith('/') || path === '' ? '/' : '';
  return `/${trimmed.join('/')}${trimmed.length > 0 ? slash : ''}`;
}

/** All routes as they are declared. It refuses to be made while one of them lacks `@Route`. */
@Injectable()
export class RouteCatalog {
  private known: readonly CatalogedRoute[] | undefined;
  private parents: readonly RegExp[] | undefined;

  /** The container rather than the discovery service, which does not exist in preview mode (`npm run openapi`). */
  constructor(private readonly modules: ModulesContainer) {}

  /** @throws Error naming every route without a declaration */
  get routes(): readonly CatalogedRoute[] {
    return (this.known ??= this.collect());
  }

  /** The methods that a path answers to; the path ends as the client wrote it. */
  methodsOf(path: string): string[] {
    const methods = this.routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
    return [...new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods)];
  }

  /**
   * Whether a path ends where the last parameter of a route should stand, and is none itself: `/things/` where there are
   * `/things/:id` and `/things`. The router takes it for the latter.
   */
  lacksParameter(path: string): boolean {
    this.parents ??= this.routes.flatMap((route) => {
      const parent = /^(.*\/):\w+$/.exec(route.path)?.[1];
      return parent === undefined ? [] : [pathToRegexp(parent, { trailing: false }).regexp];
    });
    return this.parents.some((parent) => parent.test(path)) && this.methodsOf(path).length === 0;
  }

  /** The route that a call would have reached, had it not been refused on its way. */
  find(method: string, path: string): DeclaredRoute | undefined {
    const wanted = method === 'HEAD' ? 'GET' : method;
    return this.routes.find((known) => known.method === wanted && known.pattern.test(path))?.route;
  }

  private collect(): CatalogedRoute[] {
    const undeclared: string[] = [];
    const scanner = new MetadataScanner();
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    const routes = controllers.flatMap(({ metatype }) => {
      const controller = metatype as Type;
      const prefix = String(Reflect.getMetadata(PATH_METADATA, controller) ?? '');
      return scanner.getAllMethodNames(controller.prototype as object).flatMap((handler) => {
        const target = (controller.prototype as Record<string, object>)[handler]!;
        const paths = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
        if (paths === undefined) return [];
        const route = Reflect.getMetadata(ROUTE, target) as DeclaredRoute | undefined;
        if (!route) {
          undeclared.push(`${controller.name}.${handler}`);
          return [];
        }
        const method = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, target))]!;
        const isPublic = Boolean(
          Reflect.getMetadata(PUBLIC_ROUTE, target) ?? Reflect.getMetadata(PUBLIC_ROUTE, controller),
        );
        return [paths].flat().map((declared) => {
          const path = joined(prefix, declared);
          const written = route.optionalSlash ? path.replace(/\/?$/, '{/}') : path;
          const pattern = pathToRegexp(written, { trailing: false }).regexp;
          const gate = { part: partOf(controller, route), isOpen: isOpenRoute(method, route) };
          return { method, path, pattern, isPublic, ...gate, route, controller, handler };
        });
      });
    });
    if (undeclared.length > 0) throw new Error(`These routes are not declared with @Route: ${undeclared.join(', ')}.`);
    return routes;
  }
}
