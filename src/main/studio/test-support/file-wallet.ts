import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PrivateKey } from '@bsv/sdk';
import {
  asFundingUtxo,
  encodeAddress,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  hash160,
  type Outpoint,
  p2pkhScript,
  parseTx,
  type Satoshis,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { CoinsFrom, MintWallet, ReserveOptions } from '../../ports/wallet.ts';

export const KEY = PrivateKey.fromHex('11'.repeat(32));
export const OWN_HASH = hash160(fromHex(KEY.toPublicKey().toString()));
export const OWN_SCRIPT = p2pkhScript(OWN_HASH);
export const OWN_ADDRESS = encodeAddress(OWN_HASH, 'test');
export const OTHER_ADDRESS = encodeAddress(new Uint8Array(20).fill(7), 'test');

/** Signs as the wallet would. */
export function signWith(unsigned: Uint8Array, spent: readonly Utxo[]): Uint8Array {
  return serializeTx(signP2pkhInputs(parseTx(unsigned), spent, KEY));
}

interface WalletFile {
  utxos: { txid: string; vout: number; satoshis: number }[];
  reserved: Record<string, string[]>;
}

/** A wallet of one key whose every change is on the disk before it returns, so that it outlives a killed process as the real one does. */
export class FileWallet implements MintWallet {
  readonly #file: string;
  locked = false;

  constructor(dataDir: string) {
    this.#file = join(dataDir, 'wallet.json');
    if (!existsSync(this.#file)) this.#write({ utxos: [], reserved: {} });
  }

  add(utxos: readonly Utxo[]): void {
    const file = this.#read();
    this.#write({
      ...file,
      utxos: [...file.utxos, ...utxos.map(({ txid, vout, satoshis: s }) => ({ txid, vout, satoshis: s }))],
    });
  }

  status() {
    return {
      state: this.locked ? ('locked' as const) : ('ready' as const),
      network: 'sandbox' as const,
      address: OWN_ADDRESS,
      publicKey: this.publicKey(),
      balance: this.balance(),
      worthless: true,
    };
  }

  async follow(): Promise<void> {}

  nonFundingOutputs(): [] {
    return [];
  }

  balance() {
    const spendable = this.#free().reduce((sum, coin) => sum + coin.satoshis, 0);
    return { spendable, confirmed: spendable, unconfirmed: 0, reserved: 0, tokens: 0 };
  }

  address(): string {
    return OWN_ADDRESS;
  }

  publicKey(): string {
    return KEY.toPublicKey().toString();
  }

  lockingScript(): Uint8Array {
    return OWN_SCRIPT;
  }

  async reserve(
    owner: string,
    outputsTotal: Satoshis,
    feeFor: (inputs: number) => Satoshis,
    _options?: ReserveOptions,
  ): Promise<FundingUtxo[]> {
    const own = this.reserved(owner);
    const sum = own.reduce((total, { satoshis: s }) => total + s, 0);
    if (own.length > 0 && sum >= outputsTotal + feeFor(own.length)) return own;
    const chosen = this.#choose(outputsTotal, feeFor);
    if (chosen === undefined) throw new PlanchetError({ code: 'funds-insufficient', message: 'Too little money.' });
    const file = this.#read();
    this.#write({ ...file, reserved: { ...file.reserved, [owner]: chosen.map(formatOutpoint) } });
    return chosen;
  }

  moneyScripts(): readonly Uint8Array[] {
    return [OWN_SCRIPT];
  }

  inputsFor(outputsTotal: Satoshis, feeFor: (inputs: number) => Satoshis): number {
    return this.#choose(outputsTotal, feeFor)?.length ?? Math.max(1, this.#worth(feeFor).length);
  }

  most(feeFor: (inputs: number) => Satoshis): number {
    return Math.max(0, this.worth(feeFor) - feeFor(this.#worth(feeFor).length));
  }

  worth(feeFor: (inputs: number) => Satoshis, _from?: CoinsFrom): number {
    return this.#worth(feeFor).reduce((sum, coin) => sum + coin.satoshis, 0);
  }

  setAside(): number {
    const all = this.#coins().reduce((sum, coin) => sum + coin.satoshis, 0);
    return all - this.#free().reduce((sum, coin) => sum + coin.satoshis, 0);
  }

  #worth(feeFor: (inputs: number) => Satoshis): FundingUtxo[] {
    return this.#free().filter((coin) => coin.satoshis > feeFor(2) - feeFor(1));
  }

  #choose(outputsTotal: Satoshis, feeFor: (inputs: number) => Satoshis): FundingUtxo[] | undefined {
    const chosen: FundingUtxo[] = [];
    for (const coin of this.#worth(feeFor)) {
      chosen.push(coin);
      const held = chosen.reduce((sum, { satoshis: s }) => sum + s, 0);
      if (held >= outputsTotal + feeFor(chosen.length)) return chosen;
    }
    return undefined;
  }

  reserved(owner: string): FundingUtxo[] {
    const { reserved } = this.#read();
    return this.#coins().filter((coin) => reserved[owner]?.includes(formatOutpoint(coin)));
  }

  async release(owner: string): Promise<void> {
    const file = this.#read();
    delete file.reserved[owner];
    this.#write(file);
  }

  async hold(owner: string, outpoints: readonly Outpoint[]): Promise<void> {
    const free = new Set(this.#free().map(formatOutpoint));
    const file = this.#read();
    const held = new Set(file.reserved[owner]);
    for (const outpoint of outpoints.map(formatOutpoint)) {
      if (!free.has(outpoint) && !held.has(outpoint)) {
        throw new PlanchetError({ code: 'conflict', message: 'Not free.' });
      }
      held.add(outpoint);
    }
    this.#write({ ...file, reserved: { ...file.reserved, [owner]: [...held] } });
  }

  reservations(): string[] {
    return Object.keys(this.#read().reserved);
  }

  async sign(unsigned: Uint8Array, spent: readonly FundingUtxo[]): Promise<Uint8Array> {
    if (this.locked) throw new PlanchetError({ code: 'vault-locked', message: 'The wallet is locked.' });
    return signWith(unsigned, spent);
  }

  async noteSigned(): Promise<void> {}

  fateOf() {
    return 'unknown' as const;
  }

  notExcluded(): [] {
    return [];
  }

  async observe(rawTx: Uint8Array): Promise<void> {
    const tx = parseTx(rawTx);
    const txid = txidOf(tx);
    const spent = new Set(tx.inputs.map(formatOutpoint));
    const file = this.#read();
    const made = tx.outputs.flatMap((output, vout) =>
      output.satoshis > 1 && toHex(output.script) === toHex(OWN_SCRIPT)
        ? [{ txid, vout, satoshis: output.satoshis }]
        : [],
    );
    const known = new Set(file.utxos.map(formatOutpoint));
    this.#write({
      utxos: [...file.utxos, ...made.filter((coin) => !known.has(formatOutpoint(coin)))].filter(
        (coin) => !spent.has(formatOutpoint(coin)),
      ),
      reserved: Object.fromEntries(
        Object.entries(file.reserved).filter(([, coins]) => !coins.some((c) => spent.has(c))),
      ),
    });
  }

  async forget(txid: string): Promise<void> {
    const file = this.#read();
    this.#write({ ...file, utxos: file.utxos.filter((coin) => coin.txid !== txid) });
  }

  #coins(): FundingUtxo[] {
    return this.#read().utxos.flatMap(({ txid, vout, satoshis: s }) => {
      return asFundingUtxo({ txid, vout, satoshis: satoshis(s), lockingScript: OWN_SCRIPT }) ?? [];
    });
  }

  #free(): FundingUtxo[] {
    const taken = new Set(Object.values(this.#read().reserved).flat());
    return this.#coins().filter((coin) => !taken.has(formatOutpoint(coin)));
  }

  #read(): WalletFile {
    return JSON.parse(readFileSync(this.#file, 'utf8')) as WalletFile;
  }

  #write(file: WalletFile): void {
    writeFileSync(this.#file, JSON.stringify(file));
  }
}
