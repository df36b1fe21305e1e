import { bundleErrors } from './en/bundle.ts';
import { cliErrors } from './en/cli.ts';
import { consoleErrors } from './en/console.ts';
import { contentErrors } from './en/content.ts';
import { gatewayErrors } from './en/gateway.ts';
import { generalErrors } from './en/general.ts';
import { hostErrors } from './en/host.ts';
import { importErrors } from './en/import.ts';
import { merchantErrors } from './en/merchant.ts';
import { mintErrors } from './en/mint.ts';
import { runErrors } from './en/run.ts';
import { sandboxErrors } from './en/sandbox.ts';
import { serverErrors } from './en/server.ts';
import { settingsErrors } from './en/settings.ts';
import { storeErrors } from './en/store.ts';
import { tokenErrors } from './en/token.ts';
import { tokenServiceErrors } from './en/token-service.ts';
import { tokensErrors } from './en/tokens.ts';
import { upstreamErrors } from './en/upstream.ts';
import { usageErrors } from './en/usage.ts';
import { vaultErrors } from './en/vault.ts';
import { walletErrors } from './en/wallet.ts';
import { writerErrors } from './en/writer.ts';
import type { ErrorEntries, ErrorEntry, Placeholders, Value } from './entry.ts';

/** Every message that a person can see, by id. English is the language of the program. */
export const errorEntries = {
  ...bundleErrors,
  ...cliErrors,
  ...consoleErrors,
  ...contentErrors,
  ...gatewayErrors,
  ...generalErrors,
  ...hostErrors,
  ...importErrors,
  ...merchantErrors,
  ...mintErrors,
  ...runErrors,
  ...sandboxErrors,
  ...serverErrors,
  ...settingsErrors,
  ...storeErrors,
  ...tokenErrors,
  ...tokenServiceErrors,
  ...tokensErrors,
  ...upstreamErrors,
  ...usageErrors,
  ...vaultErrors,
  ...walletErrors,
  ...writerErrors,
} as const satisfies ErrorEntries;

type Entries = typeof errorEntries;

export type ErrorId = keyof Entries;

type PlaceholdersOf<Entry> = Entry extends { hint: infer Hint; message: infer Message }
  ? Placeholders<Message> | Placeholders<Hint>
  : Entry extends { message: infer Message }
    ? Placeholders<Message>
    : never;

/** The values that an entry's texts need. */
export type ValuesOf<Id extends ErrorId> = { readonly [Name in PlaceholdersOf<Entries[Id]>]: Value };

/** The catalogue of a further language. What it lacks stays in English. */
export type ErrorTexts = { readonly [Id in ErrorId]?: Pick<ErrorEntry, 'message' | 'hint'> };
