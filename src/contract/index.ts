export * from './address-password.ts';
export * from './approvals.ts';
export * from './common.ts';
export * from './content-types.ts';
export * from './contract.ts';
export * from './currency.ts';
export * from './errors/index.ts';
export * from './explorer.ts';
export * from './gateway/access.ts';
export * from './gateway/gateway.ts';
export * from './languages/languages.ts';
export * from './live.ts';
export * from './miners/callbacks.ts';
export * from './miners/default-miner.ts';
export * from './miners/double-spends.ts';
export * from './miners/headers.ts';
export * from './miners/keys.ts';
export * from './miners/limits.ts';
export * from './miners/miners.ts';
export * from './miners/presets.ts';
export * from './miners/protocols.ts';
export * from './miners/reorganisations.ts';
export * from './miners/submission.ts';
export * from './miners/transactions.ts';
export * from './miners/webhook.ts';
export * from './networks/network-uses.ts';
export * from './networks/networks.ts';
export { ruleOf } from './phrases/allowed.ts';
export * from './phrases/en.ts';
export { fieldOf, fieldProblems } from './phrases/field-problems.ts';
export * from './phrases/phrase.ts';
export type { Serves } from './procedure.ts';
export * from './sandbox/sandbox.ts';
export * from './sandbox/sandbox-faults.ts';
export * from './search/fuzzy.ts';
export * from './search/search.ts';
export * from './search/sought.ts';
export * from './sessions.ts';
export * from './settings/money-units.ts';
export {
  joinedServices,
  type PublicSourceName,
  publicSourceFacts,
  publicSourceNames,
  readPublicSources,
  writePublicSources,
} from './settings/public-sources.ts';
export * from './settings/setting-changes.ts';
export { parseDuration } from './settings/setting-rules.ts';
export * from './settings/settings.ts';
export * from './states/state-schemas.ts';
export * from './states/states.ts';
export * from './studio/edition-names.ts';
export * from './studio/import.ts';
export * from './studio/import-problem.ts';
export * from './studio/import-problems.ts';
export * from './studio/item-fields.ts';
export * from './studio/project-moves.ts';
export * from './studio/rehearsals.ts';
export * from './studio/review.ts';
export * from './studio/review-check.ts';
export * from './studio/runs.ts';
export * from './studio/studio.ts';
export * from './studio/trait-counts.ts';
export * from './studio/transaction-view.ts';
export * from './support.ts';
export * from './tokens/publishing.ts';
export * from './tokens/redeemable-tokens.ts';
export * from './tokens/send-many.ts';
export * from './tokens/tokens.ts';
export * from './wallet/wallet.ts';
export * from './writer.ts';
