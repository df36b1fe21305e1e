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

/** Typed texts, and the entry that has to be first. */
const english = `
backup: intent-backup
back up: intent-backup
seed: intent-backup
seed phrase: intent-backup
mnemonic: intent-backup
12 words: intent-backup
how do I back up my wallet: intent-backup
restore: intent-restore
recover: intent-restore
lost wallet: intent-restore
import wallet: intent-restore
passphrase: intent-passphrase
change passphrase: intent-passphrase
encrypt: intent-passphrase
accounts: intent-accounts
watch only: intent-accounts
xpub: intent-accounts
send money: do-wallet-send
pay: do-wallet-send
withdraw: do-wallet-send
transfer: do-wallet-send
receive: do-wallet-receive
deposit: do-wallet-receive
top up: do-wallet-receive
qr code: do-wallet-receive
utxo: do-wallet-coins
dust: do-wallet-coins
consolidate: do-wallet-coins
freeze: do-wallet-coins
balance: intent-balance
how much: intent-balance
tax: intent-balance
fee: intent-fees
fees: intent-fees
gas: intent-fees
gas fee: intent-fees
what does it cost: intent-fees
fee rate: intent-fees
cancel: intent-cancel
stop: intent-cancel
abort: intent-cancel
pause: intent-cancel
undo: intent-undo
ctrl z: intent-undo
bring back: intent-undo
trash: intent-undo
edition: intent-edition
duplicate: intent-edition
compress: intent-smaller
upload: intent-upload
add pictures: intent-upload
csv: intent-upload
excel: intent-upload
hashlips: intent-upload
delete: intent-delete
remove: intent-delete
delete project: intent-delete
nft: do-new-project
new collection: do-new-project
ordinals: do-new-project
inscribe: do-new-project
mint: intent-mint
batch mint: intent-mint
editions: intent-edition
sell: intent-sell
gift: intent-sell
transfer nft: intent-sell
airdrop: intent-sendMany
marketplace: intent-sell
my nfts: intent-gallery
gallery: intent-gallery
proof: intent-proof
prove: intent-proof
authenticity: intent-proof
certificate: intent-proof
share: intent-proof
royalties: intent-royalties
royalty: intent-royalties
commission: intent-royalties
rarity: intent-rarity
traits: intent-rarity
dead letter: do-writer-dead
dlq: do-writer-dead
op_return: do-writer-write
timestamp: do-writer-write
notarize: do-writer-write
backlog: intent-writerQueue
double spend: do-submitted-failed
rejected: do-submitted-failed
missing inputs: do-submitted-failed
stuck: do-submitted-failed
broadcast: do-submitted-submit
raw transaction: do-submitted-submit
beef: do-submitted-submit
reorg: intent-reorg
orphan: intent-reorg
fork: intent-reorg
block: intent-blocks
block explorer: intent-blocks
whatsonchain: intent-blocks
unconfirmed: intent-mempool
pending: intent-mempool
confirmations: intent-mempool
taal: intent-miners
gorillapool: intent-miners
mainnet: intent-goLive
go live: intent-goLive
real money: intent-goLive
testnet: intent-switchNetwork
without a node: do-setting-publicSources
my node: do-setting-bitcoinRpcUrl
tor: do-setting-outboundProxy
vpn: do-setting-outboundProxy
curl: intent-connect
rpc password: intent-connect
bitcoin-cli: intent-connect
api keys: intent-apiKeys
revoke key: intent-apiKeys
pairing: intent-apiKeys
latency: intent-traffic
requests: intent-traffic
terminal: intent-console
run a command: intent-console
hashblock: intent-zmq
rawtx: intent-zmq
approve: do-approvals-open
permission request: do-approvals-open
brc-100: do-setting-walletSigner
daily limit: do-setting-writerDailySpend
fee limit: do-setting-maxFeeSatoshis
dollar: intent-currency
euro: intent-currency
exchange rate: intent-currency
german: do-setting-language
deutsch: do-setting-language
dark mode: do-theme-dark
light mode: do-theme-light
log out: do-sessions-lock
devices: do-sessions-open
8332: do-setting-rpcBind
webhook: do-setting-stateWebhook
prometheus: do-setting-metricsBind
quota: intent-quota
how many left: intent-quota
logs: intent-log
debug: intent-log
doctor: intent-checks
not working: intent-checks
bug report: intent-report
support: intent-report
hotkeys: intent-shortcuts
docs: intent-documents
tutorial: intent-documents
faucet: intent-faucet
test coins: intent-faucet
outage: intent-faults
chaos: intent-faults
snapshot: intent-snapshot
generate: do-mine
stablecoin: intent-redeemable
voucher: intent-redeemable
onboarding: do-welcome
dry run: intent-rehearse
opensea metadata: intent-importTypes
getblock: command-getblock
getblockcount: command-getblockcount
traffic: go-/gateway/traffic
mempool: go-/explorer/mempool
miners: go-/miners
settings: go-/settings
rpcBind: do-setting-rpcBind
hardware wallet: intent-accounts
sweep: intent-accounts
`;

const deutsch = `
Sicherung: intent-backup
sichern: intent-backup
Seed: intent-backup
zwölf Wörter: intent-backup
wie kann ich meine Wallet sichern: intent-backup
wiederherstellen: intent-restore
neuer Rechner: intent-restore
Kennwort: intent-passphrase
Konten: intent-accounts
überweisen: do-wallet-send
bezahlen: do-wallet-send
einzahlen: do-wallet-receive
Geld bekommen: do-wallet-receive
Münzen: do-wallet-coins
Kontostand: intent-balance
Gebühr: intent-fees
Gebühren: intent-fees
was kostet das: intent-fees
Gas: intent-fees
abbrechen: intent-cancel
anhalten: intent-cancel
rückgängig: intent-undo
Papierkorb: intent-undo
Auflage: intent-edition
verkleinern: intent-smaller
hochladen: intent-upload
Bilder: intent-upload
Tabelle: intent-upload
löschen: intent-delete
neue Sammlung: do-new-project
prägen: intent-mint
verkaufen: intent-sell
verschenken: intent-sell
Galerie: intent-gallery
Echtheit: intent-proof
Zertifikat: intent-proof
Tantiemen: intent-royalties
Seltenheit: intent-rarity
Merkmale: intent-rarity
aufgegebene Dokumente: do-writer-dead
Zeitstempel: do-writer-write
Warteschlange: intent-writerQueue
Doppelausgabe: do-submitted-failed
double spend: do-submitted-failed
abgelehnt: do-submitted-failed
Rohtransaktion: do-submitted-submit
Gabelung: intent-reorg
reorg: intent-reorg
unbestätigt: intent-mempool
Hauptnetz: intent-goLive
echtes Geld: intent-goLive
ohne Node: do-setting-publicSources
eigener Knoten: do-setting-bitcoinRpcUrl
Zugangsdaten: intent-connect
Schlüssel widerrufen: intent-apiKeys
API-Schlüssel: do-setting-apiKey
Aufrufe: intent-traffic
Befehlszeile: intent-console
freigeben: do-approvals-open
Wechselkurs: intent-currency
Englisch: do-setting-language
dunkel: do-theme-dark
abmelden: do-sessions-lock
Kontingent: intent-quota
Protokoll: intent-log
geht nicht: intent-checks
Fehler melden: intent-report
Tastenkürzel: intent-shortcuts
Anleitung: intent-documents
Testmünzen: intent-faucet
Ausfall: intent-faults
schürfen: do-mine
Gutschein: intent-redeemable
erste Schritte: do-welcome
Probelauf: intent-rehearse
`;

const rowsOf = (table: string): [string, string][] =>
  table
    .trim()
    .split('\n')
    .map((line) => line.split(': ') as [string, string]);

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
