/** The part of the package that is used. Its own types describe a whole virtual machine. */
declare module '@bitauth/libauth' {
  export function instantiateSecp256k1(): Promise<{
    verifySignatureCompactLowS(signature: Uint8Array, publicKey: Uint8Array, messageHash: Uint8Array): boolean;
    /** @returns a text that says what is wrong where signing fails */
    signMessageHashDER(privateKey: Uint8Array, messageHash: Uint8Array): Uint8Array | string;
  }>;
}
