import { Clock } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { type MediaDisposition, MediaSigner } from './media-signer.js';

/** Addresses under `/media/` that work for a while, without a session. */
@Injectable()
export class MediaLinks {
  constructor(
    private readonly signer: MediaSigner,
    private readonly clock: Clock,
  ) {}

  /**
   * @param path canonical media path
   * @param request that the address is for: it goes to the same host
   * @param viewerId who can read the file: the address ends with that, too
   */
  sign(
    request: Request,
    path: string,
    seconds: number,
    disposition: MediaDisposition,
    viewerId: number | null = null,
  ): { url: string; expires_at: Date } {
    const exp = Math.floor(this.clock.now() / 1000) + seconds;
    const origin = `${request.protocol}://${request.get('host') ?? 'localhost'}`;
    return {
      url: `${origin}${path}?${this.signer.sign({ path, exp, disposition, viewerId })}`,
      expires_at: new Date(exp * 1000),
    };
  }
}
