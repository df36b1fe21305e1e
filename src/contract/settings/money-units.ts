/** What amounts are shown in. */
export const moneyUnits = ['satoshi', 'bsv', 'currency'] as const;
export type MoneyUnit = (typeof moneyUnits)[number];
