import { type DynamicModule, Module } from '@nestjs/common';
import { RefreshTileProcessor } from './refresh-tile.processor.js';

/** What boards have done for them. */
@Module({})
export class BoardsAtWorkModule {
  /** @param ports of the tools */
  static forRoot(ports: DynamicModule): DynamicModule {
    return { module: BoardsAtWorkModule, imports: [ports], providers: [RefreshTileProcessor] };
  }
}
