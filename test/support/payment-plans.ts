import { PlanCatalog } from '@app/entitlements';
import { testConfig } from './config.js';

/** The middle one of the plans that are sold where no file names others. */
export const builtInPro = () =>
  PlanCatalog.of({ ...testConfig('postgres://nowhere/x').billing, kind: 'test', plansFile: undefined }).find('pro')!;
