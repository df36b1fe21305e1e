export * from './catalogue.ts';
export * from './codes.ts';
export { codeTexts } from './en/codes.ts';
export type { ErrorEntry } from './entry.ts';
export * from './failure.ts';
export * from './failure-schema.ts';
export * from './planchet-error.ts';
