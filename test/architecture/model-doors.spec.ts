import { globSync, readFileSync } from 'node:fs';

/** `LanguageModels` knows what everybody may use, and nobody's own: whoever answers a person asks `ModelChoice`. */
const WITHOUT_A_PERSON: Readonly<Record<string, string>> = {
  'apps/api/src/administration/administration.module.ts': 'the default of new accounts',
  'apps/api/src/registration/registration.module.ts': 'the default of new accounts',
  'apps/api/src/cli/admin/work-commands.ts': 'lists them for operators',
  'apps/api/src/health/health.module.ts': 'how the default one is',
  'apps/api/src/health/model-watch.ts': 'how the default one is',
  'apps/api/src/models/model-routes.module.ts': 'those of the settings, for staff',
  'apps/api/src/models/settings-models.ts': 'those of the settings, for staff',
  'apps/api/src/profile/model-catalog.ts': 'lists them beside the own ones',
};

it('models are chosen for a person, but where nobody asks', () => {
  const files = globSync(['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'], { cwd: process.cwd() })
    .filter((file) => !file.endsWith('.spec.ts') && !file.startsWith('libs/models/'))
    .filter((file) => /\bLanguageModels\b(?!')/.test(readFileSync(file, 'utf8')));
  expect(files.toSorted()).toEqual(Object.keys(WITHOUT_A_PERSON).toSorted());
});
