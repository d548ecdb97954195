import { Clock } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { publicAddress } from '../http/public-address.js';
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
   * @param request that asks for it
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
    return {
      url: `${publicAddress(request)}${path}?${this.signer.sign({ path, exp, disposition, viewerId })}`,
      expires_at: new Date(exp * 1000),
    };
  }
}
