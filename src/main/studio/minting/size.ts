import {
  inscriptionScript,
  P2PKH_INPUT_BYTES,
  P2PKH_OUTPUT_BYTES,
  pushPrefix,
  varintSize,
} from '../../../chain/index.ts';

export interface TokenSize {
  readonly contentType: string;
  readonly bytes: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Bytes of the signed mint of these tokens with one change output, as predicted, by its number of P2PKH inputs. The tokens are measured
 * only once.
 */
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
