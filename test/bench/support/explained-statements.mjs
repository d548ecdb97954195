// What Postgres itself says about the statements that real services send: auto_explain tells each connection as a notice.
const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
  // The statements of foreign keys and triggers run after the plan of their cause.
  'auto_explain.log_nested_statements': 'on',
};

/** For connections that are opened from now on. */
export async function explainAll(dataSource) {
  const [{ name }] = await dataSource.query('SELECT current_database() AS name');
  for (const [setting, value] of Object.entries(SETTINGS))
    await dataSource.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
}

/** Those that Postgres itself sends for a foreign key are nobody's part. */
const OF_FOREIGN_KEY = /\bONLY "public"/;

/** @returns `costOf(work)`: what the statements cost that `work` sent over these connections, in buffers of 8 KB each */
export function listen(dataSource) {
  const heard = new WeakSet();
  let plans = [];
  const hear = (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on('notice', ({ message, where }) => {
      const json = /plan:\s*(\{.*\})\s*$/s.exec(message ?? '');
      if (!json) return;
      const { 'Query Text': text, Plan: plan } = JSON.parse(json[1]);
      // What a function runs is counted in the statement that called it.
      if (where && !OF_FOREIGN_KEY.test(text)) return;
      plans.push({ text, buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0) });
    });
  };
  dataSource.driver.master.on('acquire', hear);
  return async (work) => {
    plans = [];
    await work();
    const worst = plans.toSorted((a, b) => b.buffers - a.buffers)[0];
    return {
      statements: plans.length,
      buffers: plans.reduce((sum, plan) => sum + plan.buffers, 0),
      worst: worst?.text.replaceAll(/\s+/g, ' ').slice(0, 160) ?? '',
    };
  };
}
