import { BoardsModule } from '@app/artifacts';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChartDatabases } from './chart-databases.js';
import { ChartDesk } from './chart-desk.js';
import { ChartTools } from './chart-tools.js';

/** What turns about charts rest on. */
@Module({})
export class DashboardChatModule {
  /** @param ports the module with the app's `QueryRunner` */
  static forRoot(ports: DynamicModule): DynamicModule {
    return {
      module: DashboardChatModule,
      imports: [ports, BoardsModule],
      providers: [ChartDatabases, ChartDesk, ChartTools],
      exports: [ChartDesk, ChartTools],
    };
  }
}
