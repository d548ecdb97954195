import { PasswordHasher, seedDemoAccount } from '@app/auth';
import { explainFailedStart } from '@app/common';
import { loadConfig } from '@app/config';
import { createDataSource } from '@app/entities';

try {
  const config = loadConfig();
  const dataSource = await createDataSource(config.database, 'atrium-seed').initialize();
  const account = await seedDemoAccount(
    dataSource,
    new PasswordHasher(config.sessions.bcryptCost),
    config.demo.password,
    config.models.defaultId,
  );
  await dataSource.destroy();
  console.log(JSON.stringify(account));
} catch (error) {
  console.error(explainFailedStart(error));
  process.exit(1);
}
