import {
  inscriptionScript,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  pushPrefix,
  varintSize,
} from '../../../chain/index.ts';
import type {} from '../../ports/merchant/merchant.ts';

export interface TokenSize {
  readonly contentType: string;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Tokens that hold the base64 text of their files. */
export function asBase64(tokens: readonly TokenSize[]): TokenSize[] {
  return tokens.map((token) => ({ ...token, bytes: 4 * Math.ceil(token.bytes / 3) }));
}

/** Bytes of the signed mint of these tokens with so many P2PKH inputs and one change output, as predicted. */
export function predictMintSize(tokens: readonly TokenSize[], inputs: number): number {
  return mintSizes(tokens)(inputs);
}

/** {@link predictMintSize} for any number of inputs: what the tokens weigh is counted once. */
export function mintSizes(tokens: readonly TokenSize[]): (inputs: number) => number {
  const outputs = tokens.reduce((sum, token) => {
    const script = tokenScriptBytes(token);
    return sum + 8 + varintSize(script) + script;
  }, P2PKH_OUTPUT_BYTES);
  return (inputs) => 8 + varintSize(inputs) + varintSize(tokens.length + 1) + inputs * P2PKH_INPUT_BYTES + outputs;
}

function tokenScriptBytes({ contentType, bytes, metadata }: TokenSize): number {
  const empty = new Uint8Array(0);
  const frame = inscriptionScript({ pubKeyHash: new Uint8Array(20), contentType, content: empty, map: metadata });
  return frame.length - pushPrefix(0).length + pushPrefix(bytes).length + bytes;
}
