import { z } from 'zod';
import { networkSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure as base } from '../procedure.ts';
import { publicSourceNames } from '../settings/public-sources.ts';
import { settingEntrySchema } from '../settings/settings.ts';
import { MAX_BACKUP_TEXT } from '../wallet/wallet.ts';
import { type NetworkNeed, type NetworkUse, networkNeeds, networkUses } from './network-uses.ts';

export const networkNeedSchema = z.enum(networkNeeds);

export const networkNeedNames: Readonly<Record<NetworkNeed, string>> = {
  upstream: 'a node or public services',
  apiKey: 'the API key of the token service',
  wallet: 'a wallet',
  backup: 'a checked backup of the wallet',
};

/** A network with its own addresses and keys. They are kept while another network is in use. */
export const networkProfileSchema = z.object({
  network: networkSchema,
  /** Whether Planchet runs on it now. */
  active: z.boolean(),
  /** Its own settings; secrets are never among the values. */
  entries: z.array(settingEntrySchema),
  /** What it lacks, needed or not (see `networkUses`); the sandbox lacks nothing. */
  missing: z.array(networkNeedSchema),
  /** Whether the vault of real keys has to be opened with its passphrase before a key of this network can be stored. */
  passphrase: z.enum(['none', 'new', 'known']),
});
export type NetworkProfile = z.infer<typeof networkProfileSchema>;

/** A public service that can be asked about the chain of a network. */
export const networkSourceSchema = z.object({
  name: z.enum(publicSourceNames),
  operator: z.string(),
  /** What it learns about its clients. */
  learns: z.enum(['addresses', 'headers']),
  on: z.boolean(),
  /** The person's own address; empty for the preset. */
  address: z.string(),
  /** Its host; null if there is no preset. */
  host: z.string().nullable(),
  /** Whether the vault has a key for it. The key is never returned. */
  hasKey: z.boolean(),
});
export type NetworkSource = z.infer<typeof networkSourceSchema>;

/**
 * The steps of the test of a network, in order: one `source` for each public service that is asked about the chain, one `miner` for each miner
 * that is switched on.
 */
export const networkTestSteps = [
  'source',
  'connect',
  'credential',
  'chain',
  'serves',
  'tip',
  'zmq',
  'tokenApi',
  'quota',
  'miner',
] as const;

export const networkTestStepSchema = z.object({
  step: z.enum(networkTestSteps),
  /** The miner that the step is about; null for other steps. */
  miner: z.string().nullable(),
  /** The public service of the step; undefined for other steps. */
  source: z.string().optional(),
  outcome: z.enum(['passed', 'failed', 'skipped']),
  /** What was found, as a sentence. */
  message: z.string(),
  /** The same as a phrase, unless the step failed. */
  sentence: phraseSchema.nullable(),
  failure: failureSchema.nullable(),
});
export type NetworkTestStep = z.infer<typeof networkTestStepSchema>;

const passphrase = z.string().min(1).max(1_024);
const network = networkSchema;

export const networksContract = {
  list: base.output(z.array(networkProfileSchema)),
  /** Saves addresses or the API key of a network, in use or not. The passphrase opens the vault for the API key. */
  save: base
    .input(
      z.object({
        network,
        values: z.record(z.string().max(64), z.union([z.string().max(4_096), z.boolean()])),
        passphrase: passphrase.optional(),
      }),
    )
    .output(networkProfileSchema),
  sources: {
    /** The public services of a network, in use or not. */
    list: base.input(z.object({ network })).output(z.array(networkSourceSchema)),
    /** Switches a service, or sets its address or its key, which the vault stores. An empty key removes it. The passphrase opens the vault for the key. */
    save: base
      .input(
        z.object({
          network,
          name: z.enum(publicSourceNames),
          on: z.boolean().optional(),
          address: z.string().max(512).optional(),
          key: z.string().max(512).optional(),
          passphrase: passphrase.optional(),
        }),
      )
      .output(z.array(networkSourceSchema)),
  },
  /** Tests the saved profile step by step. Changes nothing. The passphrase opens the vault for the API key. */
  test: base.input(z.object({ network, passphrase: passphrase.optional() })).output(z.array(networkTestStepSchema)),
  /** Creates the wallet of a network that is not in use. No passphrase is needed if the vault is open or uses the keychain. */
  createWallet: base.input(z.object({ network, passphrase: passphrase.optional() })).output(networkProfileSchema),
  /** An encrypted backup file of that wallet, under the same passphrase. */
  createBackup: base
    .input(z.object({ network, passphrase }))
    .output(z.object({ fileName: z.string(), text: z.string() })),
  /** Restores the keys from a backup file in memory and records that they are those of the wallet. */
  checkBackup: base
    .input(z.object({ network, text: z.string().max(MAX_BACKUP_TEXT), passphrase }))
    .output(networkProfileSchema),
  /**
   * Saves the network and starts all services on it. Refused while something that `use` needs is missing and not named in `without`, and on the
   * main network unless `word` is its name.
   */
  switch: base
    .input(
      z.object({
        network,
        use: z.enum(Object.keys(networkUses) as [NetworkUse, ...NetworkUse[]]).default('mint'),
        without: z.array(networkNeedSchema).default([]),
        word: z.string().max(32).default(''),
      }),
    )
    .output(z.object({ network, missing: z.array(networkNeedSchema), restarts: z.boolean() })),
};
