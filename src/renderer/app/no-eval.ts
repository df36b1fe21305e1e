// The page's policy forbids compiling code from text; zod would try it once and be reported. Set where zod looks, since zod itself is only
// loaded with the views that need it.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

export {};
