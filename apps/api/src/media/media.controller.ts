import { pipeline } from 'node:stream/promises';
import { CurrentUser, type Principal, Public } from '@app/auth';
import { Clock, hashToken, NotFoundError } from '@app/common';
import type { MediaFile } from '@app/contracts';
import { PermanentLinks } from '@app/documents';
import { FileStorage } from '@app/integrations';
import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RangeNotSatisfiableError } from '../http/http-errors.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { parseRange } from './byte-range.js';
import { contentDisposition } from './content-disposition.js';
import { MediaFiles } from './media-files.js';
import { MediaLinks } from './media-links.js';
import { type MediaDisposition, type MediaGrant, MediaSigner } from './media-signer.js';
import { SignedUrlResponse, SignQuery, SignRequest, SignResponse } from './media.dto.js';

const DEFAULT_SECONDS = 900;

const EXPOSED = 'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Retry-After, X-Request-Id';

/** Types that a browser could run under our origin (a message is shown as MHTML by some). They are never shown in place. */
const ACTIVE = /html|svg|xml|javascript|rfc822|epub|outlook|macroenabled/i;

/** docs/contract/artifacts.md#signed-addresses. */
@PartOf('core')
@Controller('media')
export class MediaController {
  constructor(
    private readonly files: MediaFiles,
    private readonly permanent: PermanentLinks,
    private readonly signer: MediaSigner,
    private readonly links: MediaLinks,
    private readonly storage: FileStorage,
    private readonly clock: Clock,
  ) {}

  @Post('sign/')
  @Route({
    forViewers: true,
    summary: 'Make media paths downloadable for a while',
    description:
      'A signed address for each path that the caller may read; the others are listed in `not_found`. An address is good for whoever has it until it expires.',
    errors: 'fields',
    scope: 'documents:read',
    response: SignResponse,
    open: true,
  })
  async signMany(
    @CurrentUser() user: Principal,
    @Req() request: Request,
    @Body() { paths, expires_in, disposition }: SignRequest,
  ): Promise<SignResponse> {
    const readable = await this.files.findReadable(user.userId, paths);
    return {
      urls: [...readable].map(([path, canonical]) => ({
        ...this.links.sign(request, canonical, expires_in, disposition, user.userId),
        path,
      })),
      not_found: paths.filter((path) => !readable.has(path)),
    };
  }

  @Get('sign/')
  @Route({
    summary: 'Make one media path downloadable for 15 minutes',
    description:
      'A signed address, good for whoever has it until it expires. 404 for files that the caller may not read.',
    errors: { 400: 'fields', 404: 'detail' },
    scope: 'documents:read',
    response: SignedUrlResponse,
  })
  async signOne(
    @CurrentUser() user: Principal,
    @Req() request: Request,
    @Query() { path }: SignQuery,
  ): Promise<SignedUrlResponse> {
    const canonical = (await this.files.findReadable(user.userId, [path])).get(path);
    if (canonical === undefined) throw fileNotFound();
    return { ...this.links.sign(request, canonical, DEFAULT_SECONDS, 'inline', user.userId), path };
  }

  @Public()
  @Get('*path')
  @Route({
    summary: 'Download a file by its signed address, or by a permanent link',
    description: 'With `exp`, `kid` and `sig` of a signed address, or with the `link` of a permanent one.',
    errors: { 403: 'detail', 416: 'detail' },
    response: { contentType: '*/*', description: 'The file, or the part that `Range` names.' },
    alsoAnswers: { 206: { contentType: '*/*', description: 'A part of the file.' }, 304: null },
    readsHeaders: ['Range', 'If-Range', 'If-None-Match'],
    readsQuery: 'signedAddress',
    answersHeaders: ['ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition'],
  })
  async download(@Req() request: Request, @Res() response: Response): Promise<void> {
    openToAll(response);
    const { link } = request.query;
    const token = typeof link === 'string' ? hashToken(link) : null;
    const { path, disposition } = token ? await this.openLink(request, token) : await this.verify(request);
    const file = await this.files.findSigned(path);
    if (!file) throw fileNotFound();
    if (token && request.method === 'GET') await this.permanent.countVisit(token);
    if (isKnown(request.get('if-none-match'), file)) {
      setHeaders(response, file, disposition);
      response.status(304).end();
      return;
    }
    await this.send(file, disposition, request, response);
  }

  private async verify(request: Request): Promise<MediaGrant> {
    const grant = this.signer.verify(request.path, request.query, Math.floor(this.clock.now() / 1000));
    if (grant.viewerId !== null && !(await this.files.isStillShown(grant.viewerId, grant.path))) throw fileNotFound();
    return grant;
  }

  private async openLink({ path }: Request, tokenHash: Buffer): Promise<Pick<MediaGrant, 'path' | 'disposition'>> {
    if (!(await this.permanent.isLinked(path, tokenHash))) throw fileNotFound();
    return { path, disposition: 'inline' };
  }

  private async send(
    file: MediaFile,
    disposition: MediaDisposition,
    request: Request,
    response: Response,
  ): Promise<void> {
    // A part is only of use to a client whose other parts are of the same content.
    const sameContent = [undefined, etagOf(file)].includes(request.get('if-range'));
    const range = sameContent ? parseRange(request.headers.range, file.sizeBytes) : null;
    if (range === 'unsatisfiable') {
      response.setHeader('Content-Range', `bytes */${file.sizeBytes}`);
      throw new RangeNotSatisfiableError();
    }
    const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
    // Before any header is set: a storage that is down is answered with headers of its own.
    const opened = request.method === 'HEAD' ? null : await this.storage.open(file.storageKey, { start, end });
    setHeaders(response, file, disposition);
    if (range) response.status(206).setHeader('Content-Range', `bytes ${start}-${end}/${file.sizeBytes}`);
    response.setHeader('Content-Length', end - start + 1);
    if (!opened) {
      response.end();
      return;
    }
    await pipeline(opened.stream, response).catch((error: NodeJS.ErrnoException) => {
      // The client went away: nobody is left to tell.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    });
  }
}

function setHeaders(response: Response, file: MediaFile, disposition: MediaDisposition): void {
  const type = ACTIVE.test(file.mimeType) ? 'attachment' : disposition;
  response.setHeader(
    'Content-Type',
    file.mimeType.startsWith('text/') ? `${file.mimeType}; charset=utf-8` : file.mimeType,
  );
  response.setHeader('Content-Disposition', contentDisposition(type, file.filename));
  response.setHeader('ETag', etagOf(file));
  response.setHeader('Accept-Ranges', 'bytes');
  response.setHeader('Cache-Control', 'private, max-age=0, must-revalidate');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
}

/**
 * Pages of any origin fetch files, in parts too, and read why one is refused
 * (docs/contract/artifacts.md#signed-addresses).
 */
function openToAll(response: Response): void {
  response.removeHeader('Access-Control-Allow-Credentials');
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
}

const etagOf = ({ sha256 }: MediaFile) => `"${sha256}"`;

/** Express's own check gives up on `Cache-Control: no-cache`, which some clients add to every conditional request. */
function isKnown(ifNoneMatch: string | undefined, file: MediaFile): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return known.includes('*') || known.includes(etagOf(file));
}

const fileNotFound = () => new NotFoundError('File not found.', { code: 'file_not_found' });
