import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CHARTS_PATH,
  chartsScript,
  type Embedders,
  HOLDER_PATH,
  holderDocument,
  type KeptResult,
  noticeDocument,
  type PageAddresses,
  pageAddresses,
  PageViews,
  type ServedDocument,
  type ShownPage,
  shellDocument,
  type View,
  versionOf,
  type Viewer,
  ViewerTokens,
} from '@app/artifacts';
import {
  type DomainError,
  InvalidRequestError,
  isUuid,
  NotFoundError,
  RateLimitedError,
  UnauthenticatedError,
} from '@app/common';
import { HealthRegistry } from '@app/observability';
import { Injectable, Logger } from '@nestjs/common';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { ApiRequest } from '../http/api-request.js';
import { requestContext } from '../http/conventions.middleware.js';
import { toErrorBody } from '../http/exception.filter.js';
import { asDomainError, MethodNotAllowedError, statusOf } from '../http/http-errors.js';
import type { OpenAnswers } from '../http/open-answers.js';
import { addressKey, RateLimiter } from '../http/rate-limiter.js';
import { parseBody, verifyFaithful } from '../http/request-body.guard.js';
import { RequestLog } from '../http/request-log.js';
import { endStalledBodies } from '../http/slow-bodies.js';
import { readAskedResults } from './asked-results.js';
import type { PageOrigin } from './page-origin.js';

const BODY_BYTES = 256 * 1024;
/** Of all that is answered; documents have policies of their own. */
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};
const TRANSPORT_SECURITY = 'max-age=31536000; includeSubDomains';

export interface PageSettings {
  origin: PageOrigin;
  embedders: Embedders;
  trustedProxies: number;
  /** Calls in a minute of one viewer, or of one address. */
  perMinute: number;
  /** Within which a body has to arrive. */
  bodySeconds: number;
}

/** What the listener of pages answers; nothing else is on it, and none of it is on the api's own. */
@Injectable()
export class PageRoutes {
  private readonly logger = new Logger('Pages');
  /** Calls that count already. */
  private readonly counted = new WeakSet<Request>();

  constructor(
    private readonly views: PageViews,
    private readonly tokens: ViewerTokens,
    private readonly limiter: RateLimiter,
    private readonly log: RequestLog,
    private readonly health: HealthRegistry,
    private readonly settings: PageSettings,
  ) {}

  build(answers: OpenAnswers): Express {
    const app = express();
    app.set('trust proxy', this.settings.trustedProxies);
    app.set('query parser', 'simple');
    app.set('strict routing', true);
    app.disable('etag').disable('x-powered-by');
    app.use((_request, response, next) => {
      setHeaders(response, HEADERS);
      if (this.settings.origin.isEncrypted) response.setHeader('Strict-Transport-Security', TRANSPORT_SECURITY);
      next();
    });
    app.use(requestContext(this.log, answers));
    app.use(endStalledBodies(app, this.settings.bodySeconds));
    // No worker is ever installed here, whatever comes to run as a script.
    app.use((request, _response, next) => next(request.get('service-worker') ? new NotFoundError() : undefined));
    const json = express.json({ limit: BODY_BYTES, type: 'application/json', verify: verifyFaithful });
    this.get(app, '/healthz/', (_request, response) => response.json({ status: 'ok' }));
    this.get(app, '/readyz/', async (_request, response) => {
      const { status } = await this.health.report();
      response.status(status === 'ok' ? 200 : 503).json({ status });
    });
    const [holder, charts] = [holderDocument(this.settings.embedders), chartsScript()];
    this.getKept(app, HOLDER_PATH, holder);
    this.getKept(app, CHARTS_PATH, charts);
    const parts = pageAddresses(holder, charts);
    this.get(app, '/artifacts/:id/render/', (...call) => this.render(parts, ...call));
    this.get(app, '/artifacts/:id/public/', (...call) => this.showPublicly(parts, ...call));
    const ofOpen: Verify = (id, token) => this.tokens.verify(id, token);
    const ofEnded: Verify = (id, token) => this.tokens.verifyForRenewal(id, token);
    this.post(app, '/artifacts/:id/data/', ofOpen, json, (...call) => this.answer(...call));
    this.post(app, '/artifacts/:id/token/', ofEnded, json, (...call) => this.renew(...call));
    app.use((_request, _response, next) => next(new NotFoundError()));
    app.use(async (error: unknown, request: Request, response: Response, _next: NextFunction) =>
      this.refuse(await this.countRefused(error, request, response), request, response),
    );
    return app;
  }

  private get(app: Express, path: string, handle: (request: Request, response: Response) => unknown): void {
    app
      .route(path)
      .get(async (request, response) => void (await handle(request, response)))
      .all((request) => {
        throw new MethodNotAllowedError(request.method, ['GET', 'HEAD']);
      });
  }

  /** Browsers keep it by its address: under that of another release, whose replica may answer too, they do not. */
  private getKept(app: Express, path: string, document: ServedDocument): void {
    const version = versionOf(document);
    const passing = { ...document, headers: { ...document.headers, 'Cache-Control': 'no-store' } };
    this.get(app, path, async (request, response) => {
      await this.count(request, response);
      send(response, request.query.v === version ? document : passing);
    });
  }

  /** The body is read once the caller is known, and within the limits. */
  private post(
    app: Express,
    path: string,
    verify: Verify,
    json: RequestHandler,
    handle: (view: View, body: unknown, response: Response) => Promise<void>,
  ): void {
    app
      .route(path)
      .post(async (request, response) => {
        const view = verify(this.artifactAt(request), request.get('x-viewer-token'));
        await this.count(request, response, view.viewer);
        await handle(view, await parseBody(json, request as ApiRequest, response), response);
      })
      .all((request) => {
        throw new MethodNotAllowedError(request.method, ['POST']);
      });
  }

  private async render(parts: PageAddresses, request: Request, response: Response): Promise<void> {
    const { token, version } = request.query;
    const view = this.tokens.verify(this.artifactAt(request), token);
    await this.count(request, response, view.viewer);
    if (version !== undefined && version !== String(view.version)) throw new NotFoundError();
    this.sendShell(response, await this.views.show(view), parts);
  }

  private async showPublicly(parts: PageAddresses, request: Request, response: Response): Promise<void> {
    const id = this.artifactAt(request);
    await this.count(request, response);
    this.sendShell(response, await this.views.showPublicly(id, request.query.link, request.method === 'GET'), parts);
  }

  private async answer(view: View, body: unknown, response: Response): Promise<void> {
    const { asked, isBatch } = readAskedResults(body);
    const results = await this.views.ask(view, asked);
    const [first] = results as [KeptResult];
    if (!isBatch && 'error' in first) {
      const { message, code, ...extra } = first.error;
      throw new InvalidRequestError(message, { code, extra });
    }
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (!isBatch) {
      response.end(toJson(first));
      return;
    }
    // Piece by piece, as fast as the caller reads: together they are large.
    await pipeline(Readable.from(piecesOf(results)), response).catch(ignoreHangUp);
  }

  private async renew(view: View, _body: unknown, response: Response): Promise<void> {
    const { token, seconds } = await this.views.renew(view);
    response.json({ token, expires_in: seconds });
  }

  private artifactAt(request: Request): string {
    const id = String(request.params.id).toLowerCase();
    if (!isUuid(id) || !this.settings.origin.isAt(id, request.get('host'))) throw new NotFoundError();
    return id;
  }

  private async count(request: Request, response: Response, viewer?: Viewer): Promise<void> {
    this.counted.add(request);
    const who = viewer && 'userId' in viewer ? String(viewer.userId) : `ip-${addressKey(request)}`;
    await this.limiter.hit({ bucket: 'pages', perMinute: this.settings.perMinute }, who, response);
  }

  /** What is refused before anybody is known counts for the address: tokens can be guessed, too. @returns why it is refused */
  private async countRefused(error: unknown, request: Request, response: Response): Promise<unknown> {
    if (this.counted.has(request)) return error;
    return this.count(request, response).then(
      () => error,
      (limited: unknown) => limited,
    );
  }

  private sendShell(response: Response, shown: ShownPage, parts: PageAddresses): void {
    send(response, shellDocument(shown, parts, this.settings.embedders));
  }

  private refuse(error: unknown, request: Request, response: Response): void {
    const known = asDomainError(error);
    const status = known ? statusOf(known) : 500;
    if (status >= 500) this.logger.error(known ?? error);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (known instanceof RateLimitedError) response.setHeader('Retry-After', String(known.retryAfterSeconds));
    if (known instanceof MethodNotAllowedError) response.setHeader('Allow', known.allowed.join(', '));
    if (known instanceof UnauthenticatedError) response.setHeader('WWW-Authenticate', 'ViewerToken');
    if (!request.complete) response.setHeader('Connection', 'close');
    response.status(status);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.json(
        known ? toErrorBody(known, 'detail') : { detail: 'Internal server error.', code: 'internal_error' },
      );
      return;
    }
    const [heading, text] = noticeOf(known, status);
    send(response, noticeDocument(heading, text, this.settings.embedders));
  }
}

/** What a token says. @throws UnauthenticatedError, ForbiddenError */
type Verify = (artifactId: string, token: unknown) => View;

function send(response: Response, { body, headers }: ServedDocument): void {
  setHeaders(response, headers);
  response.send(body);
}

function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function* piecesOf(results: readonly KeptResult[]): Generator<string> {
  yield '{"results":[';
  for (const [place, kept] of results.entries()) yield place === 0 ? toJson(kept) : `,${toJson(kept)}`;
  yield ']}';
}

function ignoreHangUp(error: unknown): void {
  if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** Results are JSON already. */
function toJson(kept: KeptResult): string {
  if ('error' in kept) return JSON.stringify({ error: kept.error });
  return `{"as_of":${JSON.stringify(kept.asOf)},${kept.result.slice(1)}`;
}

function noticeOf(known: DomainError | null, status: number): [heading: string, text: string] {
  if (status === 401)
    return [
      'This view has ended',
      'A page is shown for a few minutes at a time. Open it again from where you found it.',
    ];
  if (status === 403) return ['This page is not shown to you', 'You may not see it, or not any more.'];
  if (status === 404) return ['There is no such page', 'The address is wrong, or what it led to was taken back.'];
  if (status === 429) return ['Too many calls', 'Try again in a minute.'];
  return ['This does not work at the moment', known && status < 500 ? known.message : 'Try again later.'];
}
