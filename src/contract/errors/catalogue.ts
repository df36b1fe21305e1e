import type { Phrase } from '../phrases/phrase.ts';
import { chainErrors } from './en/node/chain.ts';
import { gatewayErrors } from './en/node/gateway.ts';
import { merchantErrors } from './en/node/merchant.ts';
import { minersErrors } from './en/node/miners.ts';
import { restErrors } from './en/node/rest.ts';
import { sandboxErrors } from './en/node/sandbox.ts';
import { sandboxApiErrors } from './en/node/sandbox-api.ts';
import { upstreamErrors } from './en/node/upstream.ts';
import { paymentErrors } from './en/payments.ts';
import { approvalsErrors } from './en/program/approvals.ts';
import { cliErrors } from './en/program/cli.ts';
import { consoleErrors } from './en/program/console.ts';
import { currencyErrors } from './en/program/currency.ts';
import { doctorErrors } from './en/program/doctor.ts';
import { generalErrors } from './en/program/general.ts';
import { hostErrors } from './en/program/host.ts';
import { networksErrors } from './en/program/networks.ts';
import { noticeErrors } from './en/program/notices.ts';
import { serverErrors } from './en/program/server.ts';
import { settingsErrors } from './en/program/settings.ts';
import { storeErrors } from './en/program/store.ts';
import { usageErrors } from './en/program/usage.ts';
import { vaultErrors } from './en/program/vault.ts';
import { bundleErrors } from './en/studio/bundle.ts';
import { contentErrors } from './en/studio/content.ts';
import { importErrors } from './en/studio/import.ts';
import { mintErrors } from './en/studio/mint.ts';
import { projectMoveErrors } from './en/studio/project-move.ts';
import { rehearsalErrors } from './en/studio/rehearsal.ts';
import { runErrors } from './en/studio/run.ts';
import { tokenErrors } from './en/tokens/token.ts';
import { tokenServiceErrors } from './en/tokens/token-service.ts';
import { tokensErrors } from './en/tokens/tokens.ts';
import { walletErrors } from './en/wallet.ts';
import { writeApiErrors } from './en/write-api.ts';
import { writerErrors } from './en/writer.ts';
import type { ErrorEntries, ErrorEntry, Placeholders, Value } from './entry.ts';
import type { Cause, Failure } from './failure-schema.ts';

const entries = {
  ...approvalsErrors,
  ...bundleErrors,
  ...chainErrors,
  ...cliErrors,
  ...consoleErrors,
  ...contentErrors,
  ...currencyErrors,
  ...doctorErrors,
  ...gatewayErrors,
  ...generalErrors,
  ...hostErrors,
  ...importErrors,
  ...merchantErrors,
  ...minersErrors,
  ...mintErrors,
  ...networksErrors,
  ...noticeErrors,
  ...projectMoveErrors,
  ...rehearsalErrors,
  ...restErrors,
  ...runErrors,
  ...sandboxApiErrors,
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
  ...paymentErrors,
  ...writeApiErrors,
  ...writerErrors,
} as const satisfies ErrorEntries;

type Entries = typeof entries;

export type ErrorId = keyof Entries;

/** Every message that a person can see, by id. English is the language of the program. */
export const errorEntries: Readonly<Record<ErrorId, ErrorEntry>> = entries;

type PlaceholdersOf<Entry> = Entry extends { hint: infer Hint; message: infer Message }
  ? Placeholders<Message> | Placeholders<Hint>
  : Entry extends { message: infer Message }
    ? Placeholders<Message>
    : never;

/** Value of a placeholder: text, a number, a sentence of the host, or other failures that are the reason. */
export type Filling = Value | Phrase | readonly Pick<Failure, keyof Cause>[];

/** The values that an entry's texts need. */
export type ValuesOf<Id extends ErrorId> = { readonly [Name in PlaceholdersOf<Entries[Id]>]: Filling };

/** The catalogue of a further language. Missing texts stay in English. */
export type ErrorTexts = { readonly [Id in ErrorId]?: Pick<ErrorEntry, 'message' | 'hint'> };
