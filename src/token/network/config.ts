import { z } from 'zod';
import type { Rate } from '../../chain/index.ts';
import { ConfigError } from '../errors.ts';
import { DEFAULT_FEE_RATE } from '../parameters/fees.ts';
import { guardedAsync, isRecord, readOptions } from '../values/values.ts';

/** What the broadcasting helpers need to know; building tokens needs none of it. */
export interface TokenConfig {
  readonly feeRate: Rate;
  readonly username: string;
  readonly password: string;
  /** `main` where the variable NETWORK is `livenet`, in any case, `test` for anything else. */
  readonly network: 'main' | 'test';
  /** The service that broadcasts; no slash at the end. */
  readonly apiUrl: string;
}

export interface TokenConfigSources {
  /** `planchet-token.config.json` in the working folder where absent. */
  readonly path?: string;
  /** `process.env` where absent. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Name of the configuration file. */
export const TOKEN_CONFIG_FILE = 'planchet-token.config.json';

/** Of WhatsOnChain, whose form of calls `apiUrl` must take. */
const API_URL = 'https://api.whatsonchain.com/v1/bsv';

const configFile = z.strictObject({
  feeRate: z
    .strictObject({ satoshis: z.number().int().min(0), bytes: z.number().int().min(1) })
    .default({ ...DEFAULT_FEE_RATE }),
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
});

/**
 * Reads the fee rate and, where it is not WhatsOnChain's, the address of the broadcasting service from the configuration file,
 * `{"feeRate":{"satoshis":500,"bytes":1000},"apiUrl":"https://…"}`, and the account and network from the environment variables
 * API_USERNAME, API_PASSWORD and NETWORK. Without a file the default rate holds.
 * @throws TokenError `config-missing` naming every variable that is missing, `config-invalid` for a file that cannot be used.
 * @example const { feeRate, network } = await loadTokenConfig()
 */
export async function loadTokenConfig(sources: TokenConfigSources = {}): Promise<TokenConfig> {
  return guardedAsync('sources', () => readSources(sources));
}

async function readSources(sources: TokenConfigSources): Promise<TokenConfig> {
  const { path: givenPath, env: givenEnv } = readOptions(sources, 'sources');
  const path = givenPath ?? TOKEN_CONFIG_FILE;
  if (typeof path !== 'string') throw new ConfigError('config-invalid', 'path', 'path is not text.');
  const env: Readonly<Record<string, unknown>> = givenEnv ?? globalThis.process?.env ?? {};
  if (!isRecord(env)) throw new ConfigError('config-invalid', 'env', 'env is not an object of environment variables.');
  const { feeRate, apiUrl } = parseConfig(await readConfig(path), path);
  const names = ['API_USERNAME', 'API_PASSWORD', 'NETWORK'] as const;
  const missing = names.filter((name) => typeof env[name] !== 'string' || env[name] === '');
  if (missing.length > 0) {
    const are = missing.length === 1 ? 'variable is' : 'variables are';
    throw new ConfigError(
      'config-missing',
      missing.join(', '),
      `These environment ${are} not set: ${missing.join(', ')}.`,
      { missing: missing.length },
    );
  }
  const network = (env.NETWORK as string).trim().toLowerCase() === 'livenet' ? 'main' : 'test';
  return {
    feeRate,
    username: env.API_USERNAME as string,
    password: env.API_PASSWORD as string,
    network,
    apiUrl: (apiUrl ?? `${API_URL}/${network}`).replace(/\/+$/, ''),
  };
}

async function readConfig(path: string): Promise<string> {
  try {
    // loaded when asked for, so that the rest of the library runs where there are no files
    const { readFile } = await import('node:fs/promises');
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw new ConfigError('config-invalid', path, `The file ${path} cannot be read.`, {}, { cause: error });
  }
}

function parseConfig(text: string, path: string): z.infer<typeof configFile> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError('config-invalid', path, `The file ${path} is not JSON.`, {}, { cause: error });
  }
  const result = configFile.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.map(String).join('.') || path;
  throw new ConfigError(
    'config-invalid',
    field,
    `The file ${path} cannot be used: ${issue?.message ?? 'it is not valid'}`,
  );
}
