import { describe, expect, it } from 'vitest';
import { bundleForBrowser } from './test-support/bundle.ts';

describe('the library bundled for a browser', () => {
  it('contains no code of Electron, the application or Node', async () => {
    const { modules, imports, code } = await bundleForBrowser(`export * from './src/token/index.ts';`);
    expect(modules.some((id) => id === 'src/token/functions/transfer.ts')).toBe(true);
    const ours = modules.filter((id) => id.startsWith('src/'));
    expect(ours.filter((id) => !/^src\/(token|chain)\//.test(id))).toEqual([]);
    expect(modules.filter((id) => /electron|fastify|better-sqlite3|secp256k1\//.test(id))).toEqual([]);
    expect(imports.filter((id) => !id.startsWith('assets/'))).toEqual([]);
    expect(code).not.toMatch(/from\s*["'](?:node:)?(?:crypto|module|fs)/);
  });

  it('contains only what is imported', async () => {
    const whole = await bundleForBrowser(`export * from './src/token/index.ts';`);
    const decoding = await bundleForBrowser(`export { decodeToken } from './src/token/index.ts';`);
    expect(decoding.modules).toContain('src/token/parameters/decode.ts');
    expect(decoding.modules).not.toContain('src/token/transaction/signing.ts');
    expect(decoding.modules).not.toContain('src/token/network/config.ts');
    expect(decoding.modules).not.toContain('src/chain/keys/native-verifier.ts');
    expect(decoding.code.length).toBeLessThan(whole.code.length / 2);
  });
});
