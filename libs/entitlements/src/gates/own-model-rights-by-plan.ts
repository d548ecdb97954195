import { OwnModelRights } from '@app/models';
import { Injectable } from '@nestjs/common';
import { Gates } from './gates.js';

/** A plan that loses `byo_llm` keeps what was registered, unused: whoever has it chosen gets the default model. */
@Injectable()
export class OwnModelRightsByPlan extends OwnModelRights {
  constructor(private readonly gates: Gates) {
    super();
  }

  async mayUse(userId: number): Promise<boolean> {
    return !(await this.gates.missingOf(userId)).has('byo_llm');
  }
}
