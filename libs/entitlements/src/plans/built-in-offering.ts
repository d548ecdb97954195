/** What is sold where billing is on and `PLANS_FILE` names nothing: an example of the file, too. */
export const BUILT_IN_OFFERING = `
currency: EUR
yearly_discount_percent: 20
free:
  name: Free
  support_tier: community
  features: [flowapps, dashboards, chat_ai, aes256]
  limits: { monthly_workflow_runs: 100, included_tokens: 200000, storage: 1 GiB, run_history_days: 7, live_build_sessions: 1 }
plans:
  - code: starter
    name: Starter
    tier: starter
    description: For one person who automates daily work.
    monthly_price: "29.00"
    trial_days: 14
    support_tier: email
    pool: user
    features: [flowapps, dashboards, chat_ai, aes256, byo_llm, data_integration]
    limits: { monthly_workflow_runs: 1000, included_tokens: 2000000, storage: 20 GiB, run_history_days: 30, live_build_sessions: 2 }
  - code: pro
    name: Pro
    tier: pro
    description: For teams that share documents, pages and workflows.
    monthly_price: "79.00"
    trial_days: 14
    seats: { min: 1, max: 100, adjustable: true }
    support_tier: priority
    pool: organization
    features: [flowapps, dashboards, chat_ai, aes256, byo_llm, data_integration, rbac, global_secrets, dedicated_agent]
    limits: { monthly_workflow_runs: 10000, included_tokens: 20000000, storage: 200 GiB, run_history_days: 90, live_build_sessions: 10 }
  - code: enterprise
    name: Enterprise
    tier: enterprise
    description: For organisations with their own directory, rules and infrastructure.
    monthly_price: "990.00"
    seats: { min: 50 }
    support_tier: dedicated
    pool: organization
    contact_sales: true
    features: [flowapps, dashboards, chat_ai, aes256, byo_llm, data_integration, rbac, global_secrets, dedicated_agent, sso_scim, audit_logs, on_prem]
    limits: { monthly_workflow_runs: null, included_tokens: null, storage: null, run_history_days: 365, live_build_sessions: null }
coupons: []
`;
