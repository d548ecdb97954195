import { Clock, ForbiddenError, isDictionary, newId, UnauthenticatedError } from '@app/common';
import { type SealedPlace, SealingService, UnsealableError } from '@app/secrets';
import { Injectable } from '@nestjs/common';

/** How long a token shows a page, at most. */
const VIEWER_TOKEN_SECONDS = 300;
/** Beyond its end, a page that is open may still ask for the next one: whoever shut a laptop comes back. */
const RENEWABLE_SECONDS = 15 * 60;
/** After so long somebody has to open the page anew, however often its token was renewed. */
const LONGEST_SECONDS = 12 * 3600;
const LONGEST_TOKEN = 8192;

/** Who looks: a person, by whose session it was asked for, or whoever has a permanent link. */
export type Viewer = { userId: number; sessionId: string } | { linkHash: string };

/** What a token says. */
export interface View {
  artifactId: string;
  version: number;
  viewer: Viewer;
  state: Record<string, unknown>;
  /** When the first of its tokens was made, and when this one ends: seconds since 1970. */
  begunAt: number;
  endsAt: number;
}

export interface NewView {
  artifactId: string;
  version: number;
  viewer: Viewer;
  state?: Record<string, unknown>;
  /** Of the token that this one follows. */
  begunAt?: number;
}

export interface IssuedToken {
  token: string;
  /** For so long it is good. */
  seconds: number;
}

interface Sealed {
  v: number;
  u?: number;
  s?: string;
  l?: string;
  d?: Record<string, unknown>;
  b: number;
  e: number;
  n: string;
}

/** Alters with each change of what a sealed token holds: those of before are not read. */
const PURPOSE = 'viewer token, 1';

/**
 * Tokens that show one version of one artifact to one viewer (docs/contract/artifacts.md#viewer-tokens). They are sealed under the
 * platform's keys and kept nowhere: none opens for another artifact, and nobody reads what is in them. What they allow is
 * looked at anew whenever one is used.
 */
@Injectable()
export class ViewerTokens {
  constructor(
    private readonly sealing: SealingService,
    private readonly clock: Clock,
  ) {}

  issue({ artifactId, version, viewer, state = {}, begunAt }: NewView): IssuedToken {
    const now = this.now();
    const begun = begunAt ?? now;
    const ends = Math.min(now + VIEWER_TOKEN_SECONDS, begun + LONGEST_SECONDS);
    const sealed: Sealed = {
      v: version,
      ...('userId' in viewer ? { u: viewer.userId, s: viewer.sessionId } : { l: viewer.linkHash }),
      ...(Object.keys(state).length > 0 ? { d: state } : {}),
      b: begun,
      e: ends,
      n: newId(),
    };
    const token = this.sealing.seal(JSON.stringify(sealed), placeOf(artifactId)).toString('base64url');
    return { token, seconds: ends - now };
  }

  /**
   * @throws UnauthenticatedError `viewer_token_missing`, `viewer_token_expired`; ForbiddenError `viewer_token_invalid` for one of
   *   another artifact, or that nobody issued
   */
  verify(artifactId: string, token: unknown): View {
    return this.openWithin(artifactId, token, 0);
  }

  /**
   * What a token that may be followed by another one says, even if it has ended a while ago.
   * @throws UnauthenticatedError, ForbiddenError
   */
  verifyForRenewal(artifactId: string, token: unknown): View {
    return this.openWithin(artifactId, token, RENEWABLE_SECONDS);
  }

  /** Nothing is good for longer than the first of its tokens allows, however it was renewed. */
  private openWithin(artifactId: string, token: unknown, secondsLate: number): View {
    const view = this.open(artifactId, token);
    const now = this.now();
    if (view.endsAt + secondsLate <= now || view.begunAt + LONGEST_SECONDS <= now) throw expired();
    return view;
  }

  private now(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  private open(artifactId: string, token: unknown): View {
    if (typeof token !== 'string' || token === '')
      throw new UnauthenticatedError('A page is shown to those who have a token for it.', {
        code: 'viewer_token_missing',
      });
    if (token.length > LONGEST_TOKEN || !/^[\w-]+$/.test(token)) throw invalid();
    try {
      return toView(
        artifactId,
        JSON.parse(this.sealing.openText(Buffer.from(token, 'base64url'), placeOf(artifactId))),
      );
    } catch (error) {
      if (error instanceof UnsealableError) throw invalid();
      throw error;
    }
  }
}

/** The part of the sealed value's place that makes a token good for its artifact alone. */
function placeOf(artifactId: string): SealedPlace {
  return { table: 'artifacts', column: PURPOSE, row: artifactId };
}

function toView(artifactId: string, sealed: unknown): View {
  if (!isDictionary(sealed)) throw invalid();
  const { v, u, s, l, d, b, e } = sealed as unknown as Sealed;
  const viewer: Viewer = l === undefined ? { userId: u!, sessionId: s! } : { linkHash: l };
  return { artifactId, version: v, viewer, state: d ?? {}, begunAt: b, endsAt: e };
}

const expired = () => new UnauthenticatedError('This view of the page has ended.', { code: 'viewer_token_expired' });

const invalid = () => new ForbiddenError('This token does not show this page.', { code: 'viewer_token_invalid' });
