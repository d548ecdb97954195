/** Whether somebody's plan lets them use models of their own. Provided above, by who knows plans; without it all may. */
export abstract class OwnModelRights {
  abstract mayUse(userId: number): Promise<boolean>;
}
