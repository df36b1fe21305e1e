/** What is used of the package; its own types describe a whole virtual machine. */
declare module '@bitauth/libauth' {
  export function instantiateSecp256k1(): Promise<{
    verifySignatureCompactLowS(signature: Uint8Array, publicKey: Uint8Array, messageHash: Uint8Array): boolean;
    /** A text says what is wrong. */
    signMessageHashDER(privateKey: Uint8Array, messageHash: Uint8Array): Uint8Array | string;
  }>;
}
