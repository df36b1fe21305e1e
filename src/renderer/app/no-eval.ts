import { config } from 'zod';

// The page's policy forbids compiling code from text; zod would try it once and be reported.
config({ jitless: true });
