/** In seconds, from the deployment's settings (docs/contract/sessions.md#refresh). */
export class SessionLifetimes {
  constructor(
    readonly accessSeconds: number,
    readonly absoluteSeconds: number,
    readonly graceSeconds: number,
  ) {}
}
