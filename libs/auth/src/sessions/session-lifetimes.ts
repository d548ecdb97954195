/** In seconds, from the deployment's settings (document 1, section 8). */
export class SessionLifetimes {
  constructor(
    readonly accessSeconds: number,
    readonly absoluteSeconds: number,
    readonly graceSeconds: number,
  ) {}
}
