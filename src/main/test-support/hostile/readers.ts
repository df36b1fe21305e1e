/** What reaches the host from outside. */
export type Surface =
  | 'backups'
  | 'callbacks'
  | 'console'
  | 'funding answers'
  | 'imports'
  | 'links'
  | 'miner answers'
  | 'network test'
  | 'node answers'
  | 'rest'
  | 'rpc'
  | 'sandbox'
  | 'scripts'
  | 'settings'
  | 'source answers'
  | 'token service answers'
  | 'transactions'
  | 'wallet answers'
  | 'writer'
  | 'zmtp';

/**
 * Every file that listens, or makes values of text or bytes, and the surface it is a part of. The others read `our own` data, let `nothing`
 * of an answer in, or run in `another process`, such as a command of the terminal or the page. Which one it is decides whoever adds a file:
 * what somebody else can write is a surface.
 */
export const readers: Readonly<Record<Surface | 'our own' | 'nothing is read' | 'another process', readonly string[]>> =
  {
    backups: ['main/vault/passphrase-seal.ts', 'main/wallet/backup/wallet-backups.ts'],
    callbacks: [
      'main/merchant/callbacks/callback-routes.ts',
      'main/merchant/callbacks/callbacks.ts',
      'main/merchant/protocols/mapi/callbacks.ts',
    ],
    console: [
      'main/console/debug/metrics-server.ts',
      'main/studio/import/importer.ts',
      'main/console/http/buffered-forms.ts',
      'main/console/http/http.ts',
      'main/console/input-bounds.ts',
      'main/studio/content/files.ts',
      'main/studio/tokens/tokens.ts',
    ],
    'funding answers': ['main/writer/funding/service/funding-client.ts'],
    imports: [
      'main/studio/import/readers/tables/csv.ts',
      'main/studio/import/readers/tables/xlsx.ts',
      'main/studio/import/readers/json.ts',
      'main/studio/import/sources/zip.ts',
      'main/studio/tokens/send-many/send-many.ts',
    ],
    links: [],
    'miner answers': [
      'main/foreign-json.ts',
      'main/merchant/protocols/miner-http.ts',
      'main/merchant/protocols/mapi/envelope.ts',
    ],
    'network test': ['main/host/networks/network-test.ts'],
    'node answers': [
      'main/gateway/rest/coins.ts',
      'main/gateway/rest/rest-by-rpc.ts',
      'main/gateway/rpc/request-batcher.ts',
      'main/gateway/upstream/batch.ts',
      'main/gateway/upstream/client.ts',
      'main/gateway/upstream/errors.ts',
      'main/gateway/upstream/health/connection-test.ts',
      'main/gateway/upstream/answers/hex-answer.ts',
      'main/gateway/upstream/request-queue.ts',
      'main/gateway/upstream/http-request.ts',
      'main/gateway/upstream/pool.ts',
      'main/gateway/upstream/answers/response.ts',
      'main/merchant/double-spends/double-spends.ts',
    ],
    rest: [],
    rpc: [
      'main/gateway/gateway.ts',
      'main/gateway/server/own-calls.ts',
      'main/gateway/messages/json-text.ts',
      'main/gateway/messages/message.ts',
      'main/gateway/methods/local-commands.ts',
      'main/gateway/rpc/dispatcher.ts',
      'main/gateway/rpc/public-replies.ts',
      'main/gateway/rpc/seen-transactions.ts',
      'main/gateway/rpc/tip-guard.ts',
      'main/gateway/server/http-listener.ts',
      'main/json-scan.ts',
      'main/local-server.ts',
    ],
    sandbox: [
      'main/json-in-turns.ts',
      'main/sandbox/api/server.ts',
      'main/sandbox/token/file-body.ts',
      'main/sandbox/token/metadata.ts',
    ],
    scripts: [
      'main/sandbox/public-services/onesat/ordinals.ts',
      'main/studio/projects/minted-metadata.ts',
      'main/studio/tokens/claims.ts',
      'token/schema/schema.ts',
    ],
    settings: ['main/settings/setting-changes.ts'],
    'source answers': [
      'main/chain-data/sources/http/source-client.ts',
      'main/chain-data/sources/onesat/owned-outputs.ts',
    ],
    'token service answers': ['main/studio/projects/metadata.ts', 'main/studio/projects/token-api.ts'],
    transactions: ['main/merchant/submission/read-source.ts', 'main/merchant/submission/uploads.ts'],
    'wallet answers': [
      'main/wallet/external/external-wallet.ts',
      'main/wallet/external/wallet-app.ts',
      'main/wallet/paymail/paymail-host.ts',
    ],
    writer: ['main/writer/api/routes.ts', 'main/writer/acceptance/request-document.ts', 'main/writer/writer.ts'],
    zmtp: ['main/zmtp/publisher.ts'],
    'our own': [
      'main/gateway/public/public-answers.ts',
      'main/host/networks/project-moves.ts',
      'main/wallet/coins/storage/dispute-rows.ts',
      'main/approvals/approval-queue.ts',
      'chain/inscription/inscription.ts',
      'main/console/debug/debug-pages.ts',
      'main/gateway/cache/response-cache.ts',
      'main/gateway/server/api-key-store.ts',
      'main/gateway/server/replay.ts',
      'main/host/rehearsals/rehearsals.ts',
      'main/host/rehearsals/rehearsal-results.ts',
      'main/host/sandbox-thread/sandbox-thread.ts',
      'main/infrastructure/data-folder.ts',
      'main/infrastructure/log-tail.ts',
      'main/infrastructure/notices.ts',
      'main/merchant/endpoints/miner-history.ts',
      'main/merchant/tracking/storage/rows.ts',
      'main/merchant/tracking/storage/transaction-store.ts',
      'main/node-format/json.ts',
      'main/sandbox/arc/transactions.ts',
      'main/sandbox/controls/archive.ts',
      'main/sandbox/controls/double-spend.ts',
      'main/sandbox/controls/sandbox-clock.ts',
      'main/sandbox/merchant/watches.ts',
      'main/sandbox/token/outputs.ts',
      'main/sandbox/token/transactions.ts',
      'main/settings/settings-store.ts',
      'main/studio/import/import-store.ts',
      'main/studio/import/session/session-worker.ts',
      'main/studio/minting/job-transactions.ts',
      'main/studio/minting/job-views.ts',
      'main/studio/minting/steps/building/build.ts',
      'main/studio/minting/steps/review.ts',
      'main/studio/projects/collection.ts',
      'main/studio/projects/changes/bin.ts',
      'main/studio/projects/changes/change-log.ts',
      'main/studio/projects/changes/item-changes.ts',
      'main/studio/projects/item-rows.ts',
      'main/studio/review/unsigned.ts',
      'main/studio/runs/run-store.ts',
      'main/studio/tokens/find.ts',
      'main/studio/tokens/gallery.ts',
      'main/studio/tokens/ledger.ts',
      'main/studio/tokens/proof/bundler.ts',
      'main/tokens/build.ts',
      'main/tokens/journal.ts',
      'main/transaction-jobs/delivery.ts',
      'main/transaction-jobs/job-row.ts',
      'main/transaction-jobs/transaction-jobs.ts',
      'main/vault/vault-format.ts',
      'main/wallet/coins/storage/signed-rows.ts',
      'main/wallet/keys/wallet-keys.ts',
      'main/wallet/paymail/paymail-tells.ts',
      'main/wallet/sending/send-journal.ts',
      'main/wallet/wallet-records.ts',
      'main/writer/keys/key-ring.ts',
      'main/writer/views/document-reader.ts',
      'main/writer/views/listing.ts',
      'token/trace/loader.ts',
    ],
    'nothing is read': [
      'main/outbound/outbound.ts',
      'main/ports/outbound.ts',
      'main/infrastructure/port-probe.ts',
      'main/merchant/webhook/state-webhook.ts',
      'main/sandbox/merchant/callbacks/callback-client.ts',
    ],
    'another process': [
      'chain/bundle/format.ts',
      'chain/bundle/page/base-script.ts',
      'chain/bundle/page/bundle-script.ts',
      'chain/bundle/page/folder-script.ts',
      'chain/bundle/page/glb-script.ts',
      'main/commands/diagnostics.ts',
      'main/commands/rpc.ts',
      'main/commands/settings.ts',
      'main/commands/studio/bundle.ts',
      'main/commands/studio/ledger.ts',
      'main/commands/studio/publish.ts',
      'main/commands/studio/published-folder.ts',
      'main/commands/token.ts',
      'main/commands/verify/verify-proof.ts',
      'main/commands/wallet/wallet-commands.ts',
      'main/shell/window/scheme.ts',
      'token/network/broadcast.ts',
      'token/network/config.ts',
    ],
  };
