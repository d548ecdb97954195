import {
  CurrentUser,
  PasswordSignIn,
  type Principal,
  Public,
  rateKey,
  RefreshRefusedError,
  RefreshService,
  SessionService,
} from '@app/auth';
import { InvalidRequestError } from '@app/common';
import { Body, Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { UuidParam } from '../http/params.js';
import { RateLimiter } from '../http/rate-limiter.js';
import { PartOf } from '../http/part-of.js';
import { Route } from '../http/route.js';
import { RefreshCookie } from './refresh-cookie.js';
import {
  LoginRequest,
  RefreshRequest,
  SessionResponse,
  SessionSummaryResponse,
  toSessionResponse,
  toSessionSummaryResponse,
} from './sessions.dto.js';
import { SignIn } from './sign-in.js';

const PER_ACCOUNT = { bucket: 'login', perMinute: 10 };

@ApiTags('Sessions')
@PartOf('core')
@Controller('api/v1')
export class SessionsController {
  constructor(
    private readonly passwords: PasswordSignIn,
    private readonly signIn: SignIn,
    private readonly refreshes: RefreshService,
    private readonly sessions: SessionService,
    private readonly cookie: RefreshCookie,
    private readonly limiter: RateLimiter,
  ) {}

  @Post('token/login/')
  @Public()
  @Route({
    summary: 'Sign in',
    description: 'Sets the cookie `refresh_token`. Ten tries a minute per account, and the limit of the address.',
    errors: 'fields',
    response: SessionResponse,
  })
  async login(
    @Body() { username, password }: LoginRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse> {
    const accounts = await this.passwords.find(username);
    // Its name and its address are two ways to try the same password.
    const tried = accounts.length > 0 ? accounts.map(({ id }) => `account-${id}`) : [rateKey(username)];
    for (const who of tried) await this.limiter.hit(PER_ACCOUNT, who, response);
    const { userId, passwordHash } = await this.passwords.verify(accounts, password);
    return toSessionResponse(await this.signIn.begin(userId, 'password', request, response, passwordHash));
  }

  @Post('auth/refresh/')
  @Public()
  @Route({
    bodyOptional: true,
    summary: 'Get new tokens',
    errors: { 401: 'detail' },
    description: 'For the refresh token of the cookie or of the body. The token before stays valid for 30 seconds.',
    response: SessionResponse,
  })
  async refresh(
    @Body() body: RefreshRequest,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse> {
    const token = this.cookie.read(request) ?? (body.refresh_token || body.refresh);
    if (!token) throw new InvalidRequestError('No refresh token was given.', { code: 'missing_refresh_token' });
    try {
      const issued = await this.refreshes.refresh(token);
      this.cookie.set(response, issued.refreshToken, issued.absoluteExpiresIn);
      return toSessionResponse(issued);
    } catch (error) {
      if (error instanceof RefreshRefusedError) this.cookie.clear(response);
      throw error;
    }
  }

  @Post('auth/logout/')
  @Route({
    summary: 'Sign out',
    description:
      'Ends this session with its refresh token, and clears the cookie. Its sockets are closed within seconds.',
    response: null,
    open: true,
  })
  async logout(@CurrentUser() viewer: Principal, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.endCurrent(viewer);
    this.cookie.clear(response);
  }

  @Post('auth/logout-all/')
  @Route({
    summary: 'Sign out everywhere',
    description:
      'Ends every session of the account, this one included, with their refresh tokens and sockets. API tokens stay.',
    response: null,
    open: true,
  })
  async logoutAll(@CurrentUser() viewer: Principal, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.endAllOwn(viewer);
    this.cookie.clear(response);
  }

  @Get('auth/sessions/')
  @Route({
    summary: 'List my sessions',
    description:
      'Each device that is signed in, with its address and when it was last seen; the present one is marked.',
    response: [SessionSummaryResponse],
  })
  async list(@CurrentUser() viewer: Principal): Promise<SessionSummaryResponse[]> {
    const sessions = await this.sessions.listOwn(viewer);
    return sessions.map((session) => toSessionSummaryResponse(session, viewer));
  }

  @Delete('auth/sessions/:id/')
  @Route({
    summary: 'End one of my sessions',
    description: 'The tokens of that session are refused from then on. 404 for sessions of others.',
    response: null,
  })
  end(@CurrentUser() viewer: Principal, @UuidParam('id') id: string): Promise<void> {
    return this.sessions.endOwn(viewer, id);
  }
}
