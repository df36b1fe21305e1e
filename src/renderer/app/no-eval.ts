// The page's policy forbids compiling code from text. Zod would try it once, which the browser reports. Set in zod's global configuration,
// since zod itself is only loaded with the views that need it.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

export {};
