/** The Postgres and Redis that `npm test` started; TEST_DATABASE_URL belongs to a superuser. */
export function testServers(): { databaseUrl: string; redisUrl: string } {
  const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;
  if (!databaseUrl || !redisUrl)
    throw new Error(
      'Tests that need servers run through `npm test`, or with TEST_DATABASE_URL and TEST_REDIS_URL set.',
    );
  return { databaseUrl, redisUrl };
}
