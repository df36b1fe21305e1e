import { z } from 'zod';
import type { Rate } from '../../chain/index.ts';
import { sentence } from '../../chain/index.ts';
import { ConfigError } from '../errors.ts';
import { DEFAULT_FEE_RATE } from '../parameters/fees.ts';
import { guardedAsync, isRecord, readOptions } from '../values/values.ts';

/** Configuration of the broadcasting helpers. Building tokens does not need it. */
export interface TokenConfig {
  readonly feeRate: Rate;
  readonly username: string;
  readonly password: string;
  /** `main` if the variable NETWORK is `livenet` (any case), otherwise `test`. */
  readonly network: 'main' | 'test';
  /** The broadcasting service, without a trailing slash. */
  readonly apiUrl: string;
}

export interface TokenConfigSources {
  /** Defaults to `planchet-token.config.json` in the working folder. */
  readonly path?: string;
  /** Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export const TOKEN_CONFIG_FILE = 'planchet-token.config.json';

/** WhatsOnChain. A custom `apiUrl` must offer the same calls. */
const API_URL = 'https://api.whatsonchain.com/v1/bsv';

const configFile = z.strictObject({
  feeRate: z
    .strictObject({ satoshis: z.number().int().min(0), bytes: z.number().int().min(1) })
    .default({ ...DEFAULT_FEE_RATE }),
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
});

/**
 * Loads the configuration. The file holds the fee rate and optionally another broadcasting service:
 * `{"feeRate":{"satoshis":500,"bytes":1000},"apiUrl":"https://…"}`. Account and network come from the environment variables API_USERNAME,
 * API_PASSWORD and NETWORK. Without a file, the default rate applies.
 * @throws TokenError `config-missing` listing every missing variable, `config-invalid` for an unusable file.
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
    const text =
      missing.length === 1
        ? 'This environment variable is not set: {field}.'
        : 'These environment variables are not set: {field}.';
    throw new ConfigError('config-missing', missing.join(', '), text, { missing: missing.length });
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
    // loaded on demand, so that the rest of the library also runs without a file system
    const { readFile } = await import('node:fs/promises');
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw new ConfigError('config-invalid', path, 'The file {field} cannot be read.', {}, { cause: error });
  }
}

function parseConfig(text: string, path: string): z.infer<typeof configFile> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError('config-invalid', path, 'The file {field} is not JSON.', {}, { cause: error });
  }
  const result = configFile.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.map(String).join('.') || path;
  throw new ConfigError(
    'config-invalid',
    field,
    sentence('The file {path} cannot be used: {why}', { path, why: issue?.message ?? sentence('it is not valid') }),
  );
}
