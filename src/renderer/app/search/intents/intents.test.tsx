import { screen } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settingRows } from '../../../../contract/index.ts';
import german from '../../../../contract/languages/de/catalogue.ts';
import { entry } from '../../../features/settings/test-support.ts';
import { i18n } from '../../../i18n/index.ts';
import { addLanguage } from '../../../i18n/languages.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, appInfo } from '../../../test-support/samples.ts';
import type { Entry } from '../entry.ts';
import { rank } from '../rank.ts';
import { useOwnEntries } from '../use-entries.tsx';

/** Entries, and the typed texts for which each has to be first. */
const english = `
intent-backup: backup, back up, seed, seed phrase, mnemonic, 12 words, how do I back up my wallet, private key, wif
intent-restore: restore, recover, lost wallet, import wallet, recover from backup file
intent-passphrase: passphrase, change passphrase, encrypt
intent-accounts: accounts, watch only, xpub, hardware wallet, sweep, import private key, watch an address
do-wallet-send: send money, pay, withdraw, transfer, pay someone, send bitcoin, paymail
do-wallet-receive: receive, deposit, top up, qr code, address, not enough funds
do-wallet-coins: utxo, dust, consolidate, freeze, merge coins
intent-balance: balance, how much, tax, where is my money
intent-fees: fee, fees, gas, gas fee, what does it cost, fee rate, fees in dollars
intent-cancel: cancel, stop, abort, pause
intent-undo: undo, ctrl z, bring back, trash
intent-edition: edition, duplicate, editions
intent-smaller: compress
intent-upload: upload, add pictures, csv, excel, hashlips, video, gif, 3d model, import collection
intent-delete: delete, remove, delete project
do-new-project: nft, new collection, ordinals, inscribe
intent-mint: mint, batch mint, how much does minting cost, plan and cost
intent-sell: sell, gift, transfer nft, marketplace, send nft to friend
intent-sendMany: airdrop, allowlist, batch send
intent-gallery: my nfts, gallery, download, token history
intent-proof: proof, prove, authenticity, certificate, share, print, pdf
intent-royalties: royalties, royalty, commission
intent-rarity: rarity, traits
do-writer-dead: dead letter, dlq
do-writer-write: op_return, timestamp, notarize
intent-writerQueue: backlog
do-submitted-failed: double spend, rejected, missing inputs, stuck, stuck transaction, why is my transaction not confirmed, fee too low, double-spend
do-submitted-submit: broadcast, raw transaction, beef
intent-reorg: reorg, orphan, fork, invalidateblock
intent-blocks: block, block explorer, whatsonchain, find transaction
intent-mempool: unconfirmed, pending, confirmations
intent-miners: taal, gorillapool, cheapest miner, change miner
intent-goLive: mainnet, go live, real money
intent-switchNetwork: testnet
do-setting-publicSources: without a node
do-setting-bitcoinRpcUrl: my node, load balance
do-setting-outboundProxy: tor, vpn
intent-connect: curl, rpc password, bitcoin-cli, json rpc
intent-apiKeys: api keys, revoke key, pairing, key, cors, website wants access
intent-traffic: latency, requests, 429, who uses my gateway
intent-console: terminal, run a command
intent-zmq: hashblock, rawtx
do-approvals-open: approve, permission request, deny, pending approval
do-setting-walletSigner: brc-100, connect wallet, metamask
do-setting-writerDailySpend: daily limit
do-setting-maxFeeSatoshis: fee limit
intent-currency: dollar, euro, exchange rate
do-setting-language: german, deutsch
do-theme-dark: dark mode, black theme
do-theme-light: light mode
do-sessions-lock: log out
do-sessions-open: devices, log in
do-setting-rpcBind: 8332, rpcBind
do-setting-stateWebhook: webhook
do-setting-metricsBind: prometheus
intent-quota: quota, how many left
intent-log: logs, debug, show me the log
intent-checks: doctor, not working, node down, not synced, data folder
intent-report: bug report, support
intent-shortcuts: hotkeys
intent-documents: docs, tutorial
intent-faucet: faucet, test coins
intent-faults: outage, chaos
intent-snapshot: snapshot
do-mine: generate
intent-redeemable: stablecoin, voucher, burn
do-welcome: onboarding
intent-rehearse: dry run
intent-importTypes: opensea metadata
command-getblock: getblock
command-getblockcount: getblockcount
go-/gateway/traffic: traffic
go-/explorer/mempool: mempool
go-/miners: miners
go-/settings: settings
go-/jobs: stuck mint, jobs
go-/projects: rename project, cover image, bulk edit, ledger
intent-publish: publish, website
do-submitted-history: merkle path, download csv
do-setting-theme: colour, appearance
do-setting-consoleLockAfter: auto lock
intent-contacts: contact
intent-notices: notifications
intent-errorCodes: error codes
intent-programs: openapi, swagger
intent-servers: docker, remote access
intent-security: security
intent-changes: what's new, version
go-/: home
intent-clock: clock, time travel
do-token-design: new token type
`;

const deutsch = `
intent-backup: Sicherung, sichern, Seed, zwölf Wörter, wie kann ich meine Wallet sichern, privater Schlüssel, Geheimwörter
intent-restore: wiederherstellen, neuer Rechner, Umzug
intent-passphrase: Kennwort
intent-accounts: Konten
do-wallet-send: überweisen, bezahlen
do-wallet-receive: einzahlen, Geld bekommen, Adresse, zu wenig Geld
do-wallet-coins: Münzen
intent-balance: Kontostand, wo ist mein Geld
intent-fees: Gebühr, Gebühren, was kostet das, Gas
intent-cancel: abbrechen, anhalten
intent-undo: rückgängig, Papierkorb
intent-edition: Auflage
intent-smaller: verkleinern
intent-upload: hochladen, Bilder, Tabelle, Video, Exceltabelle
intent-delete: löschen
do-new-project: neue Sammlung
intent-mint: prägen, was kostet das Prägen
intent-sell: verkaufen, verschenken
intent-gallery: Galerie
intent-proof: Echtheit, Zertifikat, drucken
intent-royalties: Tantiemen
intent-rarity: Seltenheit, Merkmale
do-writer-dead: aufgegebene Dokumente
do-writer-write: Zeitstempel
intent-writerQueue: Warteschlange
do-submitted-failed: Doppelausgabe, double spend, abgelehnt, nicht bestätigt
do-submitted-submit: Rohtransaktion
intent-reorg: Gabelung, reorg
intent-mempool: unbestätigt
intent-goLive: Hauptnetz, echtes Geld
do-setting-publicSources: ohne Node
do-setting-bitcoinRpcUrl: eigener Knoten
intent-connect: Zugangsdaten
intent-apiKeys: Schlüssel widerrufen, Browser koppeln
do-setting-apiKey: API-Schlüssel
intent-traffic: Aufrufe, wer nutzt mein Gateway
intent-console: Befehlszeile
do-approvals-open: freigeben
intent-currency: Wechselkurs
do-setting-language: Englisch
do-theme-dark: dunkel, dunkles Design
do-sessions-lock: abmelden
intent-quota: Kontingent
intent-log: Protokoll
intent-checks: geht nicht
intent-report: Fehler melden
intent-shortcuts: Tastenkürzel
intent-documents: Anleitung
intent-faucet: Testmünzen
intent-faults: Ausfall
do-mine: schürfen
intent-redeemable: Gutschein, verbrennen
do-welcome: erste Schritte
intent-rehearse: Probelauf
intent-miners: billigster Miner
go-/jobs: Fortschritt
go-/projects: umbenennen, Künstler
intent-publish: veröffentlichen, Webseite
intent-blocks: Transaktion suchen
do-setting-maxFeeSatoshis: Höchstgebühr
do-setting-theme: Farbe
do-sessions-open: anmelden
intent-notices: Benachrichtigungen
intent-errorCodes: Fehlercodes
intent-programs: Programmierschnittstelle
intent-security: Datenschutz
intent-changes: Aktualisierung
go-/: Startseite
intent-clock: Uhr
`;

const rowsOf = (table: string): [string, string][] =>
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [id = '', texts = ''] = line.split(': ');
      return texts.split(', ').map((text): [string, string] => [text, id]);
    });

let found: ReturnType<typeof useOwnEntries>;

function Entries() {
  found = useOwnEntries(true);
  return found.entries.some(({ id }) => id === 'do-setting-language') ? <p>ready</p> : null;
}

/** All entries of the search that need no reply to the typed text. */
async function ownEntries(): Promise<readonly Entry[]> {
  const commands = ['getblock', 'getblockcount', 'getblockhash', 'getrawtransaction'].map((name) => ({
    name,
    summary: '',
    withoutNode: 'proven' as const,
    leftOut: [],
    parameters: [],
  }));
  renderPart(<Entries />, {
    host: {
      settings: { list: () => [...settingRows.keys()].map((key) => entry(key, '')) },
      sessions: { list: () => ({ sessions: [], current: 'own', lockAfter: 0 }) },
      gateway: { commands: () => commands },
    },
    live: { app: appInfo, wallet: { state: 'ready', address: ADDRESS } as never },
  });
  await screen.findByText('ready');
  await expect
    .poll(() => ['command-getblock', 'do-sessions-lock'].every((id) => found.entries.some((one) => one.id === id)))
    .toBe(true);
  return found.entries;
}

beforeAll(() => addLanguage('de', german));

afterEach(async () => {
  await i18n.changeLanguage('en');
});

describe('the entry for a task', () => {
  it.each([
    ['en', english],
    ['de', deutsch],
  ])('is first for the words that people use for it, in %s', async (language, table) => {
    await i18n.changeLanguage(language);
    const entries = await ownEntries();
    const first = (text: string): string | undefined => rank(entries, text)[0]?.entries[0]?.id;
    expect(rowsOf(table).map(([text]) => [text, first(text)])).toEqual(rowsOf(table));
  });

  it('is tested with 200 phrases', () => {
    expect(rowsOf(english).length + rowsOf(deutsch).length).toBeGreaterThanOrEqual(200);
  });

  it('exists in the search for each row of the table', async () => {
    const { intents } = await import('./intents.ts');
    const ids = new Set((await ownEntries()).map(({ id }) => id));
    const missing = Object.entries(intents).flatMap(([id, intent]) =>
      ids.has('entry' in intent ? intent.entry : `intent-${id}`) ? [] : [id],
    );
    expect(missing).toEqual([]);
  });
});
